import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endProcesses } from '../support/needs/process.ts';
import { type GuideService, openGuideService, withoutCurl } from './guide-service.ts';
import { createNormalizer } from './normalize.ts';
import { examplesOf, type Page, readPage, startBlock } from './page.ts';
import { pagesInReadingOrder, startPages } from './reading-order.ts';

/*
 * A page works by itself, and whatever was read before it: each page shows the same in two orders, one the reverse of the
 * other. So a page that needs another one, or is disturbed by it, differs in one of them. The second order is that of a
 * reader with one terminal, in which the functions and variables of each page stay. README.md comes first for every reader.
 */

after(endProcesses);

const START = 'README.md';
const otherStarts = startPages().filter((file) => file !== START);
const pages = pagesInReadingOrder();

/** Asserts that each example of a page prints what the page shows, and nothing else. */
async function assertPrints(guide: GuideService, page: Page): Promise<void> {
  const examples = examplesOf(page);
  const printed = await guide.run(page);
  const [normalizePrinted, normalizeWritten] = [createNormalizer(), createNormalizer()];
  assert.deepEqual(
    examples.map(({ line }, index) => {
      const { output = '', exitCode } = printed[index] ?? {};
      return { line, exitCode, output: normalizePrinted(output).split('\n') };
    }),
    examples.map(({ line, exitCode, output }) => ({
      line,
      exitCode,
      output: normalizeWritten(output?.text ?? '').split('\n'),
    })),
  );
}

function testOrder(title: string, start: string, order: readonly string[]): void {
  describe(title, { skip: withoutCurl }, () => {
    let guide: GuideService;
    before(async () => {
      guide = await openGuideService({ inOneTerminal: start !== START });
      await guide.start(readPage(start));
    });
    after(() => guide.stop());

    if (start === START) {
      test('README.md shows what the service prints when it starts', () => {
        const normalize = createNormalizer();
        // The folder is that of the checkout.
        const compared = (text: string) =>
          normalize(text.replace(/^Data is stored in \S+\/\.data\.$/m, '<data>'));
        assert.equal(compared(guide.announced()), compared(startBlock(readPage(START))?.output ?? ''));
      });
    }
    for (const file of order) {
      test(`${file} shows what its examples print`, () => assertPrints(guide, readPage(file)));
    }
  });
}

testOrder(
  'the examples of the pages, run in the order in which they are printed',
  START,
  pages.filter((file) => !otherStarts.includes(file)),
);
for (const start of otherStarts) {
  const others = pages.filter((file) => file !== START && !otherStarts.includes(file)).reverse();
  testOrder(`the examples after the start of ${start}, run in the reverse order`, start, [start, ...others]);
}
