import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { hasTooManyMarks, MAX_NORMAL_LENGTH } from '../../shared/text/bounds.ts';
import { hashState } from '../../shared/text/hash.ts';
import { foldWord, normalizeText } from '../../shared/text/terms/fold.ts';
import { isSemitic, pieceKey, rootKey, signKey, teamState } from '../../shared/text/terms/keys.ts';
import { chunkTerms, queryTerms } from '../../shared/text/terms/terms.ts';
import { countWords, isIdentifier } from '../../shared/text/terms/words.ts';
import { isSortedMark } from '../support/sorted-marks.ts';

const TEAM = '7b0f3c1e-4a52-4b6e-9d53-0a3f1f0f5a11';
const OTHER_TEAM = 'c2a8de10-95f4-4f0a-8f63-5d2b7f1d9e22';

/** Texts that mix scripts, marks, invisible characters, joiners and any other characters. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('Straße', 'हिन्दी', 'น้ำมัน', '数据库', 'カタカナ', 'العربية', '한국어', 'မြန်မာ', 'ខ្មែរ'),
      fc.constantFrom('ERR_CONN_42', '-', '.', ' ', '\u200b', '\u00ad', '\ufdfa', '\ud800', '1st', '\n'),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

const words = (text: string) => [...countWords(text).words.keys()];

function isCandidate(text: string, query: string): boolean {
  const keys = new Set(chunkTerms(TEAM, text).keys);
  return queryTerms(TEAM, query).keys.some((key) => keys.has(key));
}

describe('the hash of a term', () => {
  test('the hash is FNV-1a over the bytes of the code units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        let hash = 0x811c9dc5n;
        for (const byte of Buffer.from(text, 'utf16le'))
          hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
        assert.equal(hashState(text) >>> 0, Number(hash));
      }),
    );
  });

  test('the hash continues from the state of a prefix, and can be that of a part', () => {
    assert.equal(hashState('world', hashState('hello ')), hashState('hello world'));
    assert.equal(hashState('a hello b', undefined, 2, 7), hashState('hello'));
  });
});

/** The characters of Unicode, except private ones and surrogates. */
function assigned(): string[] {
  const all = Array.from({ length: 0x11_0000 }, (_, point) => String.fromCodePoint(point));
  return all.filter((character) => !/[\p{Cn}\p{Co}\p{Cs}]/u.test(character));
}

describe('the normalization of text', () => {
  test('normalization bounds the marks of a character, whichever removed characters are between them', () => {
    const removed = assigned().filter((character) => normalizeText(`a${character}b`) === 'ab');
    assert.ok(removed.length >= 6, String(removed.length));
    const allTogether = removed.join('');
    for (const between of [...removed, allTogether]) {
      const text = `q${`\u0316${between}\u0301${between}`.repeat(400)}`;
      assert.equal(normalizeText(text).length, 65, between);
      assert.deepEqual(chunkTerms(TEAM, text), chunkTerms(TEAM, `q${'\u0316\u0301'.repeat(32)}`));
    }
  });

  test('every character that normalization turns into marks that it sorts counts as a mark', () => {
    for (const character of assigned()) {
      for (const form of new Set([character, character.toLowerCase(), character.toUpperCase()])) {
        const first = String.fromCodePoint(form.normalize('NFKD').codePointAt(0)!);
        if (isSortedMark(first)) assert.ok(hasTooManyMarks(character.repeat(65)), JSON.stringify(character));
      }
    }
  });

  test('normalization cuts off what is longer than any real chunk', () => {
    assert.equal(normalizeText('\ufdfa'.repeat(8000)).length, MAX_NORMAL_LENGTH);
    assert.equal(normalizeText('𝐀'.repeat(8000)), 'a'.repeat(8000));
    assert.equal(normalizeText('𠀀'.repeat(8000)).length, 16_000);
  });
});

describe('identifiers', () => {
  test('letters with digits, words with underscores and long numbers are identifiers', () => {
    for (const token of 'err_conn_42 ab12 x_y 10023 foo.bar/baz-9 2024-05-12 gpt-4'.split(' '))
      assert.equal(isIdentifier(token), true, token);
  });

  test('plain words, short tokens, years and ordinals are not identifiers', () => {
    const plain =
      'word a1 2024 1st 2nd 21st 101st 1990s 1970er 10ème 1990-х 20-го 20th-century example.org 1.2';
    for (const token of plain.split(' ')) assert.equal(isIdentifier(token), false, token);
  });
});

describe('chunk terms', () => {
  test('the terms of a chunk have the values that are stored in databases', () => {
    const terms = chunkTerms(TEAM, 'cat 数');
    // Keys of "cat*", "数" and the sign "数", dimensions of "ecat", "g_cat" and "e数", in order of size.
    assert.deepEqual([...terms.keys], [-1081866681, 658377281, 681900849]);
    assert.deepEqual([...terms.dims], [184464854, 287520900, 530911151]);
  });

  test('a short word is found with and without accents, but not by a word that begins with it', () => {
    assert.ok(isCandidate('Le thé', 'the') && isCandidate('the', 'thé'));
    assert.ok(!isCandidate('these', 'the') && !isCandidate('the', 'these'));
  });

  test('a Hebrew or Arabic word has the key of its root, with and without what is joined before it', () => {
    const team = teamState(TEAM);
    for (const [joined, root] of Object.entries({ והספרים: 'ספר', بالسيارة: 'سيا' })) {
      const { keys, dims } = chunkTerms(TEAM, joined);
      assert.ok(
        keys.includes(rootKey(team, root)) && keys.includes(rootKey(team, joined.slice(0, 3))),
        joined,
      );
      assert.ok(
        queryTerms(TEAM, root).dims.some((dim) => dims.includes(dim)),
        joined,
      );
    }
  });

  test('the same text in two Teams shares no keys but all dimensions', () => {
    const one = chunkTerms(TEAM, 'The quick brown fox');
    const other = chunkTerms(OTHER_TEAM, 'The quick brown fox');
    assert.deepEqual(one.dims, other.dims);
    assert.equal(one.keys.length, other.keys.length);
    assert.deepEqual(
      [...one.keys].filter((key) => other.keys.includes(key)),
      [],
    );
  });
});

describe('query terms', () => {
  /** The keys by which only a short query can find a chunk: single signs, pieces, and words with their first letters. */
  const keysOfGuesses = (text: string) => {
    const team = teamState(TEAM);
    const signs = Array.from(countWords(text).signs.keys(), (sign) => signKey(team, sign));
    const folded = words(text).map(foldWord);
    const pieces = folded.flatMap((word) =>
      Array.from({ length: Math.max(0, word.length - 4) }, (_, at) => pieceKey(team, word, at, at + 5)),
    );
    const firstLetters = folded.filter((word) => isSemitic(word)).map((word) => rootKey(team, word));
    return new Set([...signs, ...pieces, ...firstLetters]);
  };

  test('a query and a chunk with the same text have the same keys but those of guesses, and the query all dimensions', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const chunk = chunkTerms(TEAM, text);
        const query = queryTerms(TEAM, text);
        const guesses = keysOfGuesses(text);
        // A word of three letters is also looked for as the root of others.
        const keysOf = ({ keys }: { keys: Iterable<number> }) => new Set(keys).difference(guesses);
        assert.deepEqual(keysOf(query), keysOf(chunk));
        assert.ok(new Set(chunk.dims).isSubsetOf(new Set(query.dims)));
        assert.ok(query.identifierKeys.every((key) => query.keys.includes(key)));
      }),
    );
  });

  test('a query weighs words fully, grams by half and codes five times', () => {
    const { factors } = queryTerms(TEAM, 'cat');
    assert.deepEqual(factors, [1, 0.5]);
    assert.ok(queryTerms(TEAM, 'ERR_CONN_42').factors.includes(5));
    assert.ok(!queryTerms(TEAM, 'the 1st connection').factors.includes(5));
  });

  test('a code inside a sentence has one exact identifier key', () => {
    const [key, ...more] = queryTerms(TEAM, 'What does ERR_CONN_42 mean?').identifierKeys;
    assert.deepEqual(more, []);
    assert.ok(chunkTerms(TEAM, 'It failed with err_conn_42.').keys.includes(key!));
    assert.ok(!chunkTerms(TEAM, 'It failed with err_conn_421.').keys.includes(key!));
    assert.ok(!chunkTerms(TEAM, 'err conn 42').keys.includes(key!));
  });

  test('the prefix of a longer word does not match a code of that length', () => {
    const { identifierKeys } = queryTerms(TEAM, 'AB123');
    assert.equal(identifierKeys.length, 1);
    assert.ok(!chunkTerms(TEAM, 'AB1234').keys.includes(identifierKeys[0]!));
    assert.ok(isCandidate('AB1234', 'AB123'));
  });

  test('a repeated word does not change the query terms', () => {
    assert.deepEqual(queryTerms(TEAM, 'cat cat Cat'), queryTerms(TEAM, 'cat'));
  });

  test('a word without its accents or vowel signs still matches', () => {
    assert.equal(foldWord('café'), 'cafe');
    assert.equal(foldWord('كِتَاب'), 'كتاب');
    assert.equal(foldWord('किताब'), 'किताब');
    assert.ok(isCandidate('un café noir', 'cafe') && isCandidate('un cafe noir', 'café'));
  });

  test('a Korean noun matches with any particle', () => {
    assert.ok(isCandidate('한국은 크다', '한국을'));
  });
});
