import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chunkTerms } from '../../shared/text/terms/terms.ts';
import { keysOf, typedWords, unknownWords } from '../../shared/text/terms/typed-words.ts';

// Fixed: a pair of characters shares its key with 1 of 128 others, which would change from run to run.
const team = '7b0f3c1e-4a52-4b6e-9d53-0a3f1f0f5a11';
const typed = (query: string) => typedWords(team, query).map(({ word }) => word);
/** The words of a query that a stored text has not. */
const unknown = (query: string, text: string) => {
  const stored = new Set(chunkTerms(team, text).keys);
  const words = typedWords(team, query);
  return unknownWords(words, new Set(keysOf(words).filter((key) => stored.has(key))));
};

describe('the words of a query', () => {
  test('are as they were typed, each once, without the punctuation around them', () => {
    assert.deepEqual(typed('  Where is "the KEY", the key?! '), ['Where', 'is', 'the', 'KEY']);
    assert.deepEqual(typed('İSTANBUL’da Straße ﬁne'), ['İSTANBUL’da', 'Straße', 'ﬁne']);
    assert.deepEqual(typed('e\u0301te\u0301 co\u00adop'), ['été', 'co\u00adop']);
    assert.deepEqual(typed('𐐀𐐁 ΟΔΟΣ'), ['𐐀𐐁', 'ΟΔΟΣ']);
    assert.deepEqual(typed('?! …'), []);
  });

  test('are whole if they are joined by punctuation, and in scripts without spaces', () => {
    const joined = ['form', 'HR-2210', 'sign-in', 'or', 'a_b@example.com/x'];
    assert.deepEqual(typed('form HR-2210, sign-in or a_b@example.com/x'), joined);
    assert.deepEqual(typed('iPhone手机 ผ้าเช็ดตัว 猫'), ['iPhone', '手机', 'ผ้าเช็ดตัว', '猫']);
  });

  test('are codes if they look like codes', () => {
    const words = typedWords(team, 'form HR-2210 of 20th-century user_id sign-in');
    const codes = words.filter(({ isCode }) => isCode).map(({ word }) => word);
    assert.deepEqual(codes, ['HR-2210', 'user_id']);
  });
});

describe('the unknown words of a query', () => {
  test('are those without a key of the whole word, also if a longer word begins like them', () => {
    assert.deepEqual(unknown('Key visitor VISITORS été', 'Keys for visitors in summer: ete'), [
      'Key',
      'visitor',
    ]);
  });

  test('are parts of joined words if other parts exist, but a code exists only as a whole', () => {
    const text = 'Sign the form HR-2210 in the room, by mail.';
    assert.deepEqual(unknown('HR-2210 HR-2211 2210 sign-in sign-out e-post', text), [
      'HR-2211',
      'out',
      'e-post',
    ]);
  });

  test('are stretches of characters in scripts without spaces', () => {
    const text = '我家的猫很可爱';
    assert.deepEqual(unknown('我家的狗', text), []);
    assert.deepEqual(unknown('小狗', text), ['小狗']);
    for (const query of ['我家的小狗狗很可爱', '小狗狗很可爱', '很可爱小狗狗'])
      assert.deepEqual(unknown(query, text), ['小狗狗']);
  });
});
