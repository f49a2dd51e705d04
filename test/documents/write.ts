import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcesses } from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';
import { openGuideService } from './guide-service.ts';
import { createNormalizer, withoutProgress } from './normalize.ts';
import { examplesOf, readPage } from './page.ts';
import { pagesInReadingOrder, startPageOf } from './reading-order.ts';

/*
 * `npm run docs:examples`: runs the examples of all pages, and writes what they print into the pages where that
 * differs. Arguments choose pages. Look at the difference before it is committed.
 */
const chosen = process.argv.slice(2);
const guide = await openGuideService();
try {
  for (const file of pagesInReadingOrder()) {
    const page = readPage(file);
    if (chosen.length > 0 && !chosen.includes(file)) continue;
    await guide.start(readPage(startPageOf(file)));
    const examples = examplesOf(page);
    const printed = await guide.run(page);
    const [normalizeWritten, normalizePrinted] = [createNormalizer(), createNormalizer()];
    // From the last to the first, so that the numbers of earlier lines stay right.
    const changes = examples.flatMap(({ line, output, exitCode }, index) => {
      const actual = printed[index];
      if (actual === undefined) return [];
      if (actual.exitCode !== exitCode) console.error(`${file}:${line}: exit code ${actual.exitCode}`);
      if (output === null) {
        if (actual.output.trim() !== '') console.error(`${file}:${line}: not shown: ${actual.output.trim()}`);
        return [];
      }
      const same = normalizeWritten(output.text) === normalizePrinted(actual.output);
      return same ? [] : [{ output, text: withoutProgress(actual.output) }];
    });
    for (const { output, text } of changes.reverse()) {
      page.lines.splice(output.line, output.text.split('\n').length, ...text.split('\n'));
    }
    writeFileSync(join(ROOT, file), page.lines.join('\n'));
    console.log(`${file}: ${examples.length} examples, ${changes.length} outputs written`);
  }
} finally {
  await guide.stop();
  await endProcesses();
}
