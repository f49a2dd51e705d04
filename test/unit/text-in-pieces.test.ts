import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentHashInTurns, textHash } from '../../shared/text/content-hash.ts';
import { prepareContents } from '../../shared/text/memory-content.ts';
import { countInSteps, prepareInPortions } from '../../shared/text/prepared-chunks.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { compareWords, type WordChange, wordChanges } from '../../shared/text/word-changes.ts';
import { countReads, type Reads } from '../support/count-reads.ts';

const KIB = 1024;
/** The most characters that one expression reads between two turns of other work. */
const STEP = 64 * KIB;
const TEAM = '7b0f3c1e-4a52-4b6e-9d53-0a3f1f0f5a11';
const FIELDS = { title: 'Pumps', date: '2026-01-31', labels: [] };

/** What a text repeats that takes longest by some rule. */
const REPEATED: Readonly<Record<string, string>> = {
  'marks with joiners between them': '\u0301\u200d\u0316\u200d',
  'marks with soft hyphens between them': '\u0301\u00ad\u0316\u00ad',
  'marks with every invisible character between them': '\u0316\u200b\u0301\u200c\u0316\u2060\u0301\ufeff',
  'marks with variation selectors between them': '\u0301\ufe0f\u0316\u034f',
  'halfwidth characters that become marks': 'ｶ\uff9e\uff9f\uff9e',
  'compatibility characters that expand': '\ufdfa',
  'compatibility letters that expand': '\ufdf2',
  letters: 'a',
  'lines of one letter': 'a\n',
  spaces: ' ',
  'empty lines': '\n',
  'line breaks of Windows': '\r\n',
  'line breaks of old systems': 'a\r',
  'headings and text': '# a\nb\n',
  'underlined headings': 'a\n===\n',
  'signs of a heading': '#',
  'signs of a fence': '`',
  'open fences': '~~~ a\n',
  'a table': '| a | b |\n| - | - |\n',
  'rows of hyphens': '- |-\n',
  'cells of one row': `|-|\n|-|\n${'a | '.repeat(60_000)}`,
  'lists and quotations': '> - 1. ',
  'words and long white space': `a${' '.repeat(3_000)}`,
  'wrapped lines': 'a \n a',
  'digits and joiners': '1-',
  'letters, digits and joiners': 'a1_',
  'ordinals with joiners': '1st-',
  digits: '1',
  sentences: 'a. A',
  'characters of Chinese': '三',
  'characters beyond the basic plane': '𠀀',
  'graphemes of Thai': 'ที่',
  'joined consonants of Myanmar': 'က္',
  'letters of Hangul': '\u1112\u1161\u11ab',
  'capital letters that grow in lower case': 'İ',
  'letters with two lower cases': 'Σ',
  'emoji of several characters': '👩\u200d👩\u200d👧',
};

const textOf = (repeated: string, length: number) =>
  repeated.repeat(Math.ceil(length / repeated.length)).slice(0, length);

/** The parts of a text that are sent as chunks, each as long as a chunk can be. */
const chunksOf = (text: string) =>
  Array.from({ length: Math.ceil(text.length / 8_000) }, (_, index) =>
    text.slice(index * 8_000, (index + 1) * 8_000),
  );

/** Each shape of text is tried in this length, and the one that is read most in `LONGEST` too. */
const LENGTH = 256 * KIB;
const LONGEST = 1024 * KIB;

/** Does something with a text. It calls `turn` wherever other work can have a turn. */
type Step = (text: string, reads: Reads) => unknown;

const STEPS: Readonly<Record<string, Step>> = {
  'cutting a text and making its terms and its sketch': (text, reads) => {
    for (const _ of prepareInPortions(TEAM, [{ text, fields: FIELDS }])) reads.turn();
  },
  'making the terms of passages': (text, reads) => {
    for (const _ of prepareInPortions(TEAM, [{ chunks: chunksOf(text), fields: FIELDS }])) reads.turn();
  },
  'counting the chunks of a text': (text, reads) => {
    for (const _ of countInSteps([{ text }])) reads.turn();
  },
  'hashing equal chunks': (text, reads) => {
    for (const chunk of chunksOf(text)) {
      textHash(chunk);
      reads.turn();
    }
  },
  'hashing a content': (text, reads) => contentHashInTurns({ text }, async () => reads.turn()),
};

/** Requires that the steps of work on a text are small. Returns how many characters are read in all. */
async function readInSmallSteps(step: Step, shape: string, length: number): Promise<number> {
  const reads = await countReads((counted) => step(textOf(REPEATED[shape]!, length), counted));
  const [reader, characters] = reads.longestStep();
  assert.ok(characters <= STEP, `${shape}: ${reader} reads ${characters}`);
  assert.ok(reads.marks <= 200, `${shape}: ${reads.marks} marks are sorted`);
  return reads.total;
}

describe('the steps of work on a text', () => {
  for (const [name, step] of Object.entries(STEPS)) {
    it(`${name} reads at most 64 K characters at once, and in all in line with its length`, async () => {
      let [worst, most] = ['', 0];
      for (const shape of Object.keys(REPEATED)) {
        const eighth = await readInSmallSteps(step, shape, LENGTH / 8);
        const whole = await readInSmallSteps(step, shape, LENGTH);
        assert.ok(whole < 8.5 * eighth, `${shape}: ${eighth}, then ${whole}`);
        if (whole > most) [worst, most] = [shape, whole];
      }
      const longest = await readInSmallSteps(step, worst, LONGEST);
      assert.ok(longest < (LONGEST / LENGTH + 0.5) * most, `${worst}: ${most}, then ${longest}`);
    });
  }

  it('the terms of a query of 4,000 characters read at most 64 K characters', async () => {
    for (const shape of Object.keys(REPEATED)) {
      await readInSmallSteps((text) => queryTerms(TEAM, text), shape, 4_000);
    }
  });

  it('the contents of memories are prepared with at most 64 K characters at once in the thread of the caller', async (t) => {
    let clock = 0;
    // Each chance to let other work run is used.
    t.mock.method(performance, 'now', () => (clock += 1_000));
    for (const [shape, repeated] of Object.entries(REPEATED)) {
      const contents = [1_000, 30_000, 64_000].map((length) => ({
        title: 'Pumps',
        content: textOf(repeated, length),
      }));
      const reads = await countReads(async (counted) => {
        let isDone = false;
        const turn = () => {
          counted.turn();
          if (!isDone) setImmediate(turn);
        };
        setImmediate(turn);
        await prepareContents(TEAM, contents);
        isDone = true;
      });
      const [reader, characters] = reads.longestStep();
      assert.ok(characters <= STEP, `${shape}: ${reader} reads ${characters}`);
    }
  });

  it('long texts are compared by words in a thread, with the same result, and short ones in small steps', async () => {
    for (const repeated of ['a ', 'pump, ', '. ', '三号', '\r\n', 'a\u0301']) {
      for (const [length, most] of [
        [64_000, KIB],
        [32 * KIB, STEP],
      ] as const) {
        const before = textOf(repeated, length);
        const after = `new ${before.slice(100)}`;
        const expected = compareWords(before, after);
        let changes: WordChange[] = [];
        const reads = await countReads(async () => {
          changes = await wordChanges(before, after);
        });
        assert.deepEqual(changes, expected);
        // Not the total: it has the modules that are loaded at the same time, character by character.
        const [reader, characters] = reads.longestStep();
        assert.ok(characters <= most, `${reader} reads ${characters} characters in the thread of the caller`);
      }
    }
  });
});
