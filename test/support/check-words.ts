import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { phrasesIn, wordsIn } from './refused-words.ts';
import { ROOT } from './root.ts';

/*
 * `npm run check:words`: refuses phrases that make a reader stop, in code, tests and documents, and second words for the
 * terms of the glossary, in what people read. Prints what to write instead. Add a phrase to `refused-words.ts` when a
 * review finds it.
 */

/** Product code, tests and documents. */
const FILES = [
  '*.{ts,md}',
  '{api,worker,core,shared,db,cli,web,test,docs}/**/*.{ts,js,html,css,md}',
  'db/**/*.sql',
];
const ALLOWED = ['test/support/refused-words.ts', 'docs/guide/samples/**'];

/** What people read: documents, what the service, its pages and the terminal client say, alerts and dashboards. */
const READ = [
  '*.md',
  'docs/**/*.{md,yml,json}',
  'cli/{,packaging/}*.md',
  '{start,pack}.ts',
  '{api,worker,core,shared,cli,web,test/bench,test/demo}/**/*.{ts,js,html}',
];
/** Generated of code that is checked; past changes; types. */
const NOT_READ = ['docs/guide/samples/**', 'CHANGELOG.md', '**/*.d.ts'];

const check = (files: readonly string[], exclude: readonly string[], placesIn: typeof wordsIn) =>
  globSync(files, { cwd: ROOT, exclude }).flatMap((file) =>
    placesIn(file, readFileSync(join(ROOT, file), 'utf8')),
  );

const found = [...check(FILES, ALLOWED, phrasesIn), ...check(READ, NOT_READ, wordsIn)];
if (found.length > 0) {
  console.error(found.join('\n'));
  process.exitCode = 1;
}
