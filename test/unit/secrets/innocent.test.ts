import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSecretsNow } from '../../../shared/secrets/find-secrets.ts';
import { innocentTexts } from './innocent-texts.ts';

/** Share of the texts. */
const MAX_FALSE_ALARMS = 0.01;

describe('texts without credentials', () => {
  it('at most one in a hundred has a false alarm', () => {
    const texts = innocentTexts();
    assert.ok(texts.length >= 150, `${texts.length} texts`);
    const alarms = texts.flatMap(([kind, text]) => {
      const [found] = findSecretsNow([{ text }]);
      return (found?.findings ?? []).map(({ rule, start, end }) => {
        const value = [...text].slice(start, end).join('');
        return `${kind}: ${rule} ${value}`;
      });
    });
    assert.ok(alarms.length <= texts.length * MAX_FALSE_ALARMS, alarms.join('\n'));
  });
});
