import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { containsText } from '../../../db/queries/common.ts';
import { openTestDatabase } from '../../support/needs/database.ts';
import { isSortedMark } from '../../support/sorted-marks.ts';

const database = await openTestDatabase();

type Pair = readonly [text: string, sought: string];

/** Which of these texts hold what is sought in them, by the condition that lists are narrowed by. */
async function answers(pairs: readonly Pair[]): Promise<boolean[]> {
  const rows = await database.query<{ found: boolean }>(
    `select ${containsText('p.text', 'p.sought')} as found
       from unnest($1::text[], $2::text[]) with ordinality as p (text, sought, n) order by p.n`,
    [pairs.map(([text]) => text), pairs.map(([, sought]) => sought)],
  );
  return rows.map(({ found }) => found);
}

/** Whether the database knows all characters of each text: its tables of Unicode may be older than JavaScript's. */
async function known(texts: readonly string[]): Promise<boolean[]> {
  const rows = await database.query<{ known: boolean }>(
    `select unicode_assigned(t.text) as known from unnest($1::text[]) with ordinality as t (text, n) order by t.n`,
    [texts],
  );
  return rows.map((row) => row.known);
}

/**
 * One letter for one, as the database maps case. JavaScript knows whole words as well: a ß has no other letter in
 * upper case but SS, a ﬁ but FI, and an İ but two in lower case. There the two cannot agree.
 */
function raise(letter: string): string {
  const upper = letter.toUpperCase();
  return [...upper].length === 1 ? upper : letter;
}
function lower(letter: string): string {
  // The one letter whose lower case is two in JavaScript, and one in the database.
  return letter === 'İ' ? 'i' : letter.toLowerCase();
}

/** A text without regard to case: by way of the upper case, since σ and ς have the same one. */
const fold = (text: string) => [...text.normalize('NFC')].map((letter) => lower(raise(letter))).join('');

/** A text with its letters in either case. */
const allCases = (text: string) => [...text].map((letter) => letter + raise(letter) + lower(letter)).join('');

/** The condition as JavaScript would put it. */
const includes = ([text, sought]: Pair) => fold(text).includes(fold(sought));

/** Letters that are easily taken for others, and what means something elsewhere. */
const TRICKY = [
  'ΣσςİIıißẞsSſﬁǄǅǆµΜÅåeé\u0301\u0345ᾳᾼΩωაᲐ𐐔𐐼Жж한\u1112\u1161',
  '%_\\\'"$.* \n\u00a0\u200d',
].flatMap((characters) => [...characters]);
const tricky = fc.string({ unit: fc.constantFrom(...TRICKY), maxLength: 6 });
const any = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\u0000'));
const text = fc.oneof(tricky, any);

/** A text, and one that is sought in it: any, or a part of it in some other form. */
const pair = fc
  .tuple(text, text, text, fc.constantFrom<'part' | 'other'>('part', 'part', 'other'), fc.nat(3))
  .map(([before, sought, after, how, form]): Pair => {
    const forms = [
      (t: string) => t,
      fold,
      (t: string) => [...t].map(raise).join(''),
      (t: string) => t.normalize('NFD'),
    ];
    return [how === 'part' ? before + forms[form]!(sought) + after : before + after, sought];
  });

describe('the condition that a text contains another', () => {
  test('agrees with plain JavaScript', async () => {
    const seen = { true: 0, false: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 20, maxLength: 40 }), async (pairs) => {
        const isKnown = await known(pairs.map(([held, sought]) => allCases(held + sought)));
        const told = pairs.filter((_, n) => isKnown[n]);
        const expected = told.map(includes);
        assert.deepEqual(await answers(told), expected);
        for (const is of expected) seen[`${is}`] += 1;
      }),
      { numRuns: 60 },
    );
    assert.ok(seen.true > 100 && seen.false > 100, JSON.stringify(seen));
  });

  test('finds every letter by its upper and lower case, in every script', async () => {
    const cased = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code))
      .filter((letter) => letter.isWellFormed() && letter !== '\u0000')
      .filter((letter) => raise(letter) !== letter || lower(letter) !== letter);
    const isKnown = await known(cased.map(allCases));
    const letters = cased.filter((_, n) => isKnown[n]);
    assert.ok(letters.length > 2700, String(letters.length));
    const pairs = letters.flatMap((letter): Pair[] => {
      return [raise(letter), lower(letter)].flatMap((form): Pair[] => [
        [`<${letter}>`, form],
        [`<${form}>`, letter],
      ]);
    });
    const found = await answers(pairs);
    assert.deepEqual(
      pairs.filter((_, n) => !found[n]),
      [],
    );
  });

  test('composes accents in a text with up to 64 marks after a character, and in no other, because marks are sorted', async () => {
    const held = (mark: string, marks: number): Pair => [`<e\u0301>a${mark.repeat(marks)}`, '<é>'];
    assert.deepEqual(await answers([held('\u0316\u0301', 32), held('\u0316\u0301', 33)]), [true, false]);
    const sorted = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
      isSortedMark,
    );
    assert.ok(sorted.length > 900, String(sorted.length));
    const found = await answers(sorted.map((mark) => held(mark, 65)));
    assert.deepEqual(
      sorted.filter((_, n) => found[n]).map((mark) => mark.codePointAt(0)!.toString(16)),
      [],
    );
  });
});
