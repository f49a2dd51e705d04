import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { KNOWN_MODELS } from '../../shared/embedding-models.ts';
import { ROOT } from '../support/root.ts';

describe('the page about models', () => {
  test('has every known model with its pooling, prefixes, window, weight and licence', () => {
    const page = readFileSync(join(ROOT, 'docs/operations/choose-a-model.md'), 'utf8');
    for (const [name, model] of Object.entries(KNOWN_MODELS)) {
      const prefixes = [model.queryPrefix, model.passagePrefix].map((prefix) =>
        prefix === '' ? 'none' : `\`${prefix.trim()}\``,
      );
      const cells = [model.pooling, ...prefixes, model.maxWindow, model.weight, model.licence];
      assert.ok(page.includes(`| \`${name}\` | ${cells.join(' | ')} |`), `${name}: ${cells.join(' | ')}`);
    }
  });
});
