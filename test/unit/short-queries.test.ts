import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  type FindForms,
  faultsOfPairs,
  foldText,
  LEAST_PAIRS,
  openFormFinder,
} from '../../bench/pairs/check-pairs.ts';
import { HELD_LANGUAGES, type Pair, readPairs } from '../../bench/pairs/languages.ts';
import { makeOtherPassages, readOtherPassages } from '../../bench/pairs/other-passages.ts';

const PAIRS = readPairs();
const WINDOW: Pair = {
  language: 'en',
  kind: 'form',
  query: 'window',
  text: 'Both windows of the tower were broken.',
  forms: ['window', 'windows'],
  stems: ['sill'],
};
const faultsWith = (...added: readonly Pair[]) => faultsOfPairs([...PAIRS, ...added]);

describe('the measured pairs of a short query and a text', () => {
  test('each have the only text with the word that is meant', () => {
    assert.deepEqual(faultsOfPairs(PAIRS), []);
  });

  test('are refused if a language has too few', () => {
    const [language] = HELD_LANGUAGES;
    const own = PAIRS.filter((pair) => pair.language === language).slice(0, LEAST_PAIRS - 1);
    const faults = faultsOfPairs([...PAIRS.filter((pair) => pair.language !== language), ...own]);
    assert.deepEqual(faults, [`en: ${LEAST_PAIRS - 1} pairs, where ${LEAST_PAIRS} are needed`]);
  });

  test('are refused if another text has a form of the word or a stem', () => {
    const other = { ...WINDOW, query: 'zebra', forms: ['zebra'], stems: [] };
    const faults = (text: string) => faultsWith(WINDOW, { ...other, text });
    assert.deepEqual(faults('An hour is spent at each Wíndows desk.'), [
      'en window: windows in the text of zebra',
    ]);
    assert.deepEqual(
      faultsWith(WINDOW, {
        ...other,
        language: 'ja',
        text: '画面の左上にあるWindowを閉じてから、もう一度開いてください。',
      }),
      ['en window: window in the text of zebra'],
    );
    assert.deepEqual(faults('She left her gloves on the windowsill.'), [
      'en window: sill in the text of zebra',
    ]);
  });

  test('are refused if two queries share a word, or one has four words', () => {
    const again = {
      ...WINDOW,
      query: 'Bus',
      forms: [],
      stems: [],
      text: 'A text with nothing in particular.',
    };
    assert.deepEqual(faultsWith(again).slice(0, 1), ['en Bus: shares bus with en bus']);
    const long = { ...again, query: 'aa bb cc dd' };
    assert.deepEqual(faultsWith(long), ['en aa bb cc dd: more than 3 words']);
  });

  test('are refused if a text is too short', () => {
    assert.deepEqual(faultsWith({ ...WINDOW, text: 'Windows.' }), ['en window: a text of 8 characters']);
  });
});

describe('other passages', () => {
  const findForms: FindForms = openFormFinder(PAIRS);

  test('are made without a form of a query, the same each time', () => {
    const made = makeOtherPassages(100, findForms, 300);
    assert.deepEqual(
      made.flatMap(({ language, text }) => findForms(foldText(language, text))),
      [],
    );
    assert.deepEqual(makeOtherPassages(100, findForms, 300), made);
  });

  test('are refused if one read from a file has a form of a query', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pairs-'));
    const file = join(folder, 'others.jsonl');
    const passage = { language: 'en', text: 'A morning at the seaside without any noise.' };
    try {
      await writeFile(file, `${JSON.stringify(passage)}\n`);
      assert.deepEqual(readOtherPassages(file, findForms), [passage]);
      await writeFile(file, `${JSON.stringify({ ...passage, text: 'Minibuses are late.' })}\n`);
      assert.throws(() => readOtherPassages(file, findForms), /line 1: has minibus, which a query means/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
