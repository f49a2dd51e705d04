import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compareWords, type WordChange } from '../../shared/text/word-changes.ts';

const joined = (changes: readonly WordChange[], left: WordChange['op']) =>
  changes
    .filter(({ op }) => op !== left)
    .map(({ text }) => text)
    .join('');

/** Texts of few words, so that two of them have words in common. */
const words = fc
  .array(fc.constantFrom(...'heron|Heron| |\n|\r\n|鷺|🦊|é|e\u0301|.|don’t|-'.split('|')), { maxLength: 60 })
  .map((parts) => parts.join(''));
const text = fc.oneof(words, fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'grapheme' }));

describe('the changes of a text by words', () => {
  test('the changes contain both texts, character for character', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = compareWords(before, after);
        assert.equal(joined(changes, 'insert'), before);
        assert.equal(joined(changes, 'delete'), after);
        // A surrogate pair is never split.
        const isWhole = before.isWellFormed() && after.isWellFormed();
        assert.ok(changes.every(({ text: part }) => part !== '' && (part.isWellFormed() || !isWhole)));
      }),
      { numRuns: 500 },
    );
  });

  test('a changed word is deleted and inserted, and the others are equal', () => {
    assert.deepEqual(compareWords('The port is 8443 now.', 'The port is 443 now.'), [
      { op: 'equal', text: 'The port is ' },
      { op: 'delete', text: '8443' },
      { op: 'insert', text: '443' },
      { op: 'equal', text: ' now.' },
    ]);
    assert.deepEqual(compareWords('', 'New.'), [{ op: 'insert', text: 'New.' }]);
    assert.deepEqual(compareWords('Same.', 'Same.'), [{ op: 'equal', text: 'Same.' }]);
  });

  test('texts that differ in too many words are replaced as a whole', () => {
    const [before, after] = [1, 2].map((n) =>
      Array.from({ length: 500 }, (_, i) => `w${n * 1000 + i}`).join(' '),
    );
    assert.deepEqual(compareWords(before!, after!), [
      { op: 'delete', text: before },
      { op: 'insert', text: after },
    ]);
  });
});
