import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, type Drawn, linesAt, readPages, rowsAt } from './drawn-page.ts';

const NAMES = ['one', 'two', 'three'] as const;
const ANIMALS = ['herons', 'walruses', 'lynxes'] as const;
const body = (index: number): Drawn[] =>
  linesAt(50, 650, [
    `This page says where the ${ANIMALS[index]} of the lake sleep at night,`,
    'and what they eat.',
  ]);
const bodyText = (index: number) =>
  `This page says where the ${ANIMALS[index]} of the lake sleep at night, and what they eat.`;

/** The texts of three pages with further lines. */
const read = (extra: (number: number) => Drawn[]) =>
  readPages(NAMES.map((_, index) => [...body(index), ...extra(index + 1)]));
/** Three texts of which each has what is around the body of its page. */
const around = (text: (number: number, body: string) => string) =>
  NAMES.map((_, index) => text(index + 1, bodyText(index)));

/** A line at the upper or the lower edge of a page. */
const header = (text: string, size = 9) => at(50, 800, text, { size });
const footer = (text: string) => at(280, 40, text, { size: 9 });

describe('a line that repeats at the edge of pages', () => {
  test('is read once if it is the same', async () => {
    const texts = await read(() => [header('Heron handbook'), footer('Confidential')]);
    assert.deepEqual(
      texts,
      around((number, text) => (number === 1 ? `Heron handbook\n\n${text}\n\nConfidential` : text)),
    );
  });

  for (const line of [
    (number: number) => `Page ${number} of 3`,
    (number: number) => `${number}`,
    (number: number) => `- ${number} -`,
    (number: number) => `${number}/3`,
    (number: number) => `Seite ${number}`,
    (number: number) => `Heron handbook, p. ${number + 16}`,
  ]) {
    test(`is read once if only the number of the page differs: ${line(1)}`, async () => {
      const texts = await read((number) => [footer(line(number))]);
      assert.deepEqual(
        texts,
        around((number, text) => (number === 1 ? `${text}\n\n${line(1)}` : text)),
      );
    });
  }

  test('is read once if the number of the page stands apart', async () => {
    const texts = await read((number) => [header('Heron handbook'), at(500, 800, `${number}`, { size: 9 })]);
    assert.deepEqual(
      texts,
      around((number, text) => (number === 1 ? `Heron handbook 1\n\n${text}` : text)),
    );
  });

  test('is read once for each kind if even and odd pages differ', async () => {
    const texts = await read((number) => [header(number % 2 === 0 ? 'The lake' : 'Heron handbook')]);
    assert.deepEqual(
      texts,
      around((number, text) => [`Heron handbook\n\n${text}`, `The lake\n\n${text}`, text][number - 1] ?? ''),
    );
  });

  test('is read once if two lines of a header repeat', async () => {
    const texts = await read((number) => [
      at(50, 806, 'Heron handbook', { size: 9 }),
      at(50, 794, `Page ${number}`, { size: 9 }),
    ]);
    assert.match(texts[0] ?? '', /^Heron handbook\s+Page 1\n\nThis/);
    assert.deepEqual(texts.slice(1), around((_, text) => text).slice(1));
  });
});

describe('a line at the edge of a page', () => {
  for (const line of [
    (number: number) => `Day ${number}`,
    (number: number) => `Invoice ${number + 11}`,
    (number: number) => `Chapter ${NAMES[number - 1] ?? ''}`,
  ]) {
    test(`is kept if it differs by more than the number of the page: ${line(1)}`, async () => {
      const texts = await read((number) => [header(line(number), 12)]);
      assert.deepEqual(
        texts,
        around((number, text) => `${line(number)}\n\n${text}`),
      );
    });
  }

  test('is kept if its number rises by something else than the pages', async () => {
    const texts = await read((number) => [footer(`${number * 10}`)]);
    assert.deepEqual(
      texts,
      around((number, text) => `${text}\n\n${number * 10}`),
    );
  });

  test('is kept if it is at another place', async () => {
    const texts = await read((number) => [at(50, 815 - 8 * number, 'Heron handbook', { size: 9 })]);
    assert.deepEqual(
      texts,
      around((_, text) => `Heron handbook\n\n${text}`),
    );
  });

  test('is kept if it is larger than the text, as a title is', async () => {
    const texts = await read(() => [header('Questions', 22)]);
    assert.deepEqual(
      texts,
      around((_, text) => `Questions\n\n${text}`),
    );
  });

  test('is kept if it is the heading row of a table', async () => {
    const lefts = [60, 220, 330];
    const rows = (name: string) =>
      ['Seal', 'Rotor', 'Hose'].map((part, index) => [`${part} ${name}`, 'Hall', `${index + 7}`]);
    // As far above the rows as a header is above the text.
    const texts = await readPages(
      NAMES.map((name) => [
        ...rowsAt(lefts, 800, [['Part', 'Place', 'Units']]),
        ...rowsAt(lefts, 766, rows(name), 20),
      ]),
    );
    for (const [index, name] of NAMES.entries()) {
      assert.equal(
        texts[index],
        `| Part | Place | Units |\n| - | - | - |\n| Seal ${name} | Hall | 7 |\n| Rotor ${name} | Hall | 8 |\n| Hose ${name} | Hall | 9 |`,
      );
    }
  });
});

test('a line that repeats within the text of pages is kept', async () => {
  const texts = await read(() => [at(50, 400, 'See the map at the end.')]);
  assert.deepEqual(
    texts,
    around((_, text) => `${text}\n\nSee the map at the end.`),
  );
});
