import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { wordChanges as changesOfService, type WordChange } from '../../shared/text/word-changes.ts';

const file = new URL('../../web/console/pages/review/word-changes.js', import.meta.url).href;
const { wordChanges } = (await import(file)) as {
  wordChanges: (before: string, after: string) => WordChange[] | null;
};

/** The texts that the changes stand for. */
function textsOf(changes: readonly WordChange[]): [string, string] {
  const without = (op: string) =>
    changes
      .filter((change) => change.op !== op)
      .map(({ text }) => text)
      .join('');
  return [without('insert'), without('delete')];
}

describe('the comparison of texts in the browser', () => {
  test('a word that was changed is one deletion and one insertion', () => {
    assert.deepEqual(wordChanges('one two three four five', 'one six seven four five'), [
      { op: 'equal', text: 'one ' },
      { op: 'delete', text: 'two three' },
      { op: 'insert', text: 'six seven' },
      { op: 'equal', text: ' four five' },
    ]);
    assert.deepEqual(wordChanges('a', 'a'), [{ op: 'equal', text: 'a' }]);
    assert.deepEqual(wordChanges('', ''), []);
  });

  test('the changes contain both texts, character for character', () => {
    const word = fc.constantFrom('heron', 'Heron', ' ', '\n', '鷺', '🦊', 'é', 'e\u0301', '.', "don't");
    const common = fc.array(word, { maxLength: 40 });
    fc.assert(
      fc.property(common, common, common, (start, before, after) => {
        const texts = [
          [...start, ...before],
          [...start, ...after],
        ].map((parts) => parts.join(''));
        const changes = wordChanges(texts[0] ?? '', texts[1] ?? '');
        if (changes === null) return;
        assert.deepEqual(textsOf(changes), texts);
        assert.ok(changes.every(({ text }) => text !== '' && text.isWellFormed()));
      }),
      { numRuns: 500 },
    );
  });

  test('as many characters stay as in the comparison of the service', () => {
    const before = 'The gateway is vpn1.example.com, on port 443. Carl renews the certificate each spring.';
    const after =
      'The gateway is vpn2.example.com, on port 443. Ann renews its certificate each year, in May.';
    const kept = (changes: readonly WordChange[] | null) =>
      (changes ?? [])
        .filter(({ op }) => op === 'equal')
        .reduce((sum, { text }) => sum + text.trim().length, 0);
    const changes = wordChanges(before, after);
    assert.ok(changes);
    assert.deepEqual(textsOf(changes), [before, after]);
    assert.ok(kept(changes) >= kept(changesOfService(before, after)) - 5);
  });

  test('texts that have little in common, or differ in too many words, are not compared', () => {
    assert.equal(wordChanges('one two three', 'nothing of it'), null);
    const many = Array.from({ length: 1000 }, (_, at) => `word${at}`);
    const other = many.map((word, at) => (at % 3 === 0 ? word : `${word}x`));
    assert.equal(wordChanges(many.join(' '), other.join(' ')), null);
  });
});
