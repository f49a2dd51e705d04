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

describe('the measured pairs of a short query and a text', () => {
  const other = { ...WINDOW, query: 'zebra', forms: ['zebra'], stems: [] };
  const again = { ...WINDOW, forms: [], stems: [], text: 'A text with nothing in particular.' };
  const [language] = HELD_LANGUAGES;
  const few = PAIRS.filter((pair) => pair.language === language).slice(LEAST_PAIRS - 1);
  const beside = (given: Partial<Pair>) => [...PAIRS, WINDOW, { ...other, ...given }];
  const added = (given: Partial<Pair>) => [...PAIRS, { ...again, ...given }];
  const refused: readonly [pairs: readonly Pair[], fault: string][] = [
    [
      PAIRS.filter((pair) => !few.includes(pair)),
      `${language}: ${LEAST_PAIRS - 1} pairs, where ${LEAST_PAIRS} are needed`,
    ],
    // A form of the word in another text, without its accent or within Japanese, and a stem.
    [beside({ text: 'An hour is spent at each Wíndows desk.' }), 'en window: windows in the text of zebra'],
    [
      beside({ language: 'ja', text: '画面の左上にあるWindowを閉じてから、もう一度開いてください。' }),
      'en window: window in the text of zebra',
    ],
    [beside({ text: 'She left her gloves on the windowsill.' }), 'en window: sill in the text of zebra'],
    [added({ query: 'Bus' }), 'en Bus: shares bus with en bus'],
    [added({ query: 'aa bb cc dd' }), 'en aa bb cc dd: more than 3 words'],
    [added({ ...WINDOW, text: 'Windows.' }), 'en window: a text of 8 characters'],
  ];

  test('each have the only text with the word that is meant', () => {
    assert.deepEqual(faultsOfPairs(PAIRS), []);
    for (const [pairs, fault] of refused) assert.equal(faultsOfPairs(pairs)[0], fault);
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

  test('are refused if one read from a file has a form of a query', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'pairs-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'others.jsonl');
    const passage = { language: 'en', text: 'A morning at the seaside without any noise.' };
    await writeFile(file, `${JSON.stringify(passage)}\n`);
    assert.deepEqual(readOtherPassages(file, findForms), [passage]);
    await writeFile(file, `${JSON.stringify({ ...passage, text: 'Minibuses are late.' })}\n`);
    assert.throws(() => readOtherPassages(file, findForms), /line 1: has minibus, which a query means/);
  });
});
