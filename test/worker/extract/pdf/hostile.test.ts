import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractPdf } from '../../../../worker/extract/pdf.ts';
import { countReads } from '../../../support/count-reads.ts';
import type { PdfPlan } from '../../../support/pdf-writer.ts';
import { textOf } from '../extraction.ts';
import { at, type Drawn, gridAt, pageOf } from './drawn-page.ts';

/* Pages that no program makes: each must be read to its end. */

const PIECES = 200_000;
const RULES = 100_000;

/** Many small texts. */
const texts = (count: number, text: (index: number) => [x: number, y: number, text: string]): string =>
  `BT /F1 8 Tf ${Array.from({ length: count }, (_, index) => {
    const [x, y, letters] = text(index);
    return `1 0 0 1 ${x.toFixed(3)} ${y.toFixed(3)} Tm (${letters}) Tj`;
  }).join('\n')} ET`;

/** Numbers that look random and are the same each time. */
function numbers(): (below: number) => number {
  let state = 1;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

/** Forms of which each draws the next so many times; the last draws a text. */
const nested = (depth: number, times: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: depth }, (_, index) => [
      `Form${index}`,
      index === depth - 1 ? 'BT /F1 9 Tf 50 600 Td (inner) Tj ET' : `/Form${index + 1} Do `.repeat(times),
    ]),
  );

const large = (size: number) => ({ pageEntries: `/MediaBox [0 0 ${size} ${size}]` });
const grid = (lines: number, step: number) => {
  const places = Array.from({ length: lines + 1 }, (_, index) => 20 + index * step);
  return gridAt(places, places);
};
const cells = (count: number, columns: number, step: number) =>
  texts(count, (index) => [21 + step * (index % columns), 21 + step * Math.floor(index / columns), '1']);
const slanted = (degrees: number) => {
  const [cos, sin] = [Math.cos, Math.sin].map((f) => f((degrees * Math.PI) / 180).toFixed(5));
  return `BT /F1 12 Tf ${cos} ${sin} -${sin} ${cos} 300 400 Tm (word) Tj ET`.replace('--', '');
};
const random = numbers();
const anywhere = () => [random(500), random(800)] as const;

/** Pages, and a text that each has. */
const PAGES: Readonly<Record<string, [drawn: Drawn[], has: RegExp, plan?: Partial<PdfPlan>]>> = {
  'many texts in rows': [
    [texts(PIECES, (index) => [20 + 1.2 * (index % 450), 20 + 1.8 * Math.floor(index / 450), 'a'])],
    /a/,
  ],
  'many texts anywhere': [[texts(PIECES, (index) => [...anywhere(), `w${index}`])], /w199999/],
  'many texts in one line': [[texts(PIECES, (index) => [20 + index * 0.0027, 700, 'w'])], /w/],
  'many texts at one place': [[texts(PIECES, (index) => [50, 700, `w${index}`])], /w199999/],
  'the same text at one place many times': [[texts(PIECES, () => [50, 700, 'same'])], /^same$/],
  'rows of many columns': [
    [
      texts(100_000, (index) => [
        20 + 6 * (index % 90),
        20 + 0.73 * Math.floor(index / 90),
        index % 7 ? 'a' : 'aa',
      ]),
    ],
    /a/,
  ],
  'a word of many letters': [
    [`BT /F1 0.001 Tf 1 0 0 1 50 700 Tm (${'a'.repeat(500_000)}) Tj ET`],
    /^a{500000}$/,
  ],
  'letters without size': [['BT /F1 0 Tf 50 700 Td (none) Tj ET', at(50, 600, 'Text')], /Text/],
  'letters without measure': [
    [
      'BT /F1 12 Tf 1e38 0 0 1e38 50 700 Tm (huge) Tj ET',
      'BT /F1 1e9 Tf 50 700 Td (large) Tj ET',
      at(50, 700, 'Text'),
    ],
    /Text/,
  ],
  'text in all directions': [Array.from({ length: 360 }, (_, degrees) => slanted(degrees)), /word/],
  'many rules anywhere': [
    [
      at(50, 700, 'Text'),
      Array.from({ length: RULES }, () => {
        const [x, y] = anywhere();
        return random(2) === 0 ? `${x} ${y} m ${x + 50} ${y} l S` : `${x} ${y} m ${x} ${y + 50} l S`;
      }).join('\n'),
    ],
    /^Text$/,
  ],
  'rules that all cross each other': [[at(50, 700, 'Text'), ...grid(9_000, 0.06)], /^Text$/],
  'a grid of a million cells': [[...grid(1_000, 3), cells(100_000, 1_000, 3)], /1/, large(4_000)],
  'a table of many cells': [[...grid(390, 5), cells(390 * 390, 390, 5)], /1 1 1/, large(2_400)],
  'saved states that are never restored': [['q '.repeat(5_000), at(50, 700, 'Text')], /^Text$/],
  'restored states that were never saved': [['Q '.repeat(100_000), at(50, 700, 'Text')], /^Text$/],
  'marked content that never ends': [['/Span BMC '.repeat(100_000), at(50, 700, 'Text')], /^Text$/],
  'marked content that never began': [['EMC '.repeat(100_000), at(50, 700, 'Text')], /^Text$/],
  'a form that draws itself': [
    [at(50, 700, 'Text'), '/Form0 Do'],
    /^Text/,
    { forms: { Form0: '/Form0 Do' } },
  ],
  'forms within forms': [[at(50, 700, 'Text'), '/Form0 Do'], /^Text\s+inner$/, { forms: nested(300, 1) }],
  'forms that draw the next several times': [
    [at(50, 700, 'Text'), '/Form0 Do'],
    /^Text\s+inner$/,
    { forms: nested(6, 3) },
  ],
};

describe('a page is read to its end if it has', () => {
  for (const [title, [drawn, has, plan]] of Object.entries(PAGES)) {
    test(title, async () => assert.match(await textOf(extractPdf, pageOf(drawn, plan)), has));
  }
});

describe('the characters that are read of a page grow in line with its texts', () => {
  const kinds: Readonly<Record<string, (index: number) => [x: number, y: number, text: string]>> = {
    'in rows': (index) => [20 + 6 * (index % 90), 20 + 0.1 * Math.floor(index / 90), 'aa'],
    'in one line': (index) => [20 + index * 0.02, 700, `w${index}`],
    'at one place': (index) => [50, 700, `w${index}`],
    'in the lines of a column': (index) => [50, 820 - index * 0.04, `Line ${index} of a long, long text-`],
  };
  for (const [kind, text] of Object.entries(kinds)) {
    test(kind, async () => {
      const read = async (count: number) =>
        (await countReads(() => textOf(extractPdf, pageOf([texts(count, text)])))).total;
      await read(100);
      const [few, many] = [await read(5_000), await read(20_000)];
      assert.ok(many <= 6 * few, `${many} for four times as many as ${few}`);
    });
  }
});
