import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endProcesses } from '../support/needs/process.ts';
import { type GuideService, openGuideService, startBlock, withoutCurl } from './guide-service.ts';
import { createNormalizer } from './normalize.ts';
import { examplesOf, readPage } from './page.ts';
import { pagesInReadingOrder, startPageOf } from './reading-order.ts';

after(endProcesses);

describe('the examples of the pages, run in the order in which they are printed', {
  skip: withoutCurl,
}, () => {
  let guide: GuideService;
  before(async () => {
    guide = await openGuideService();
    await guide.start(startPageOf('README.md'));
  });
  after(() => guide.stop());

  test('README.md shows what the service prints when it starts', () => {
    const normalize = createNormalizer();
    // What it prints depends on the model, and on the commit that runs.
    const compared = (text: string) =>
      normalize(text.replaceAll(/"(embedder|commit)":(?:\{[^}]*\}|"[^"]*"|null)/g, '"$1":…'));
    assert.equal(compared(guide.announced()), compared(startBlock(readPage('README.md'))?.output ?? ''));
  });

  for (const file of pagesInReadingOrder()) {
    test(`${file} shows what its examples print`, async () => {
      const page = readPage(file);
      const examples = examplesOf(page);
      await guide.start(startPageOf(file));
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
    });
  }
});
