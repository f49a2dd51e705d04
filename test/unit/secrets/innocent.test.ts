import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSecretsNow } from '../../../shared/secrets/find-secrets.ts';
import { innocentTexts } from './innocent-texts.ts';

/** Per 200 texts. */
const MAX_FALSE_ALARMS = 2;

describe('texts without credentials', () => {
  it('at most two of two hundred have a false alarm', () => {
    const texts = innocentTexts();
    assert.ok(texts.length >= 200, `${texts.length} texts`);
    const alarms = texts.flatMap(([kind, text]) => {
      const [found] = findSecretsNow([{ text }]);
      return (found?.findings ?? []).map(({ rule, start, end }) => {
        const value = [...text].slice(start, end).join('');
        return `${kind}: ${rule} ${value}`;
      });
    });
    assert.ok(alarms.length <= MAX_FALSE_ALARMS, alarms.join('\n'));
  });
});
