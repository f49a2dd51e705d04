import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.ts';

/*
 * `npm run check:words`: refuses phrases that make a reader stop, in code, tests and documents, and prints what to write
 * instead. Add a phrase here when a review finds it.
 */

/** A phrase, and what to write instead. */
const REFUSED: readonly [phrase: RegExp, instead: string][] = [
  [/\banew\b/i, 'again, or new'],
  [/\bamid\b/i, 'during'],
  [/\bmeanwhile\b/i, 'since then, or by then'],
  [/\bwhoever\b/i, 'the caller, or anyone who'],
  [/\b(?:is|are) none\b/i, 'does not exist, or is not a …'],
  [/\bany more\b/i, 'no longer'],
  [/\bas (?:it|they) stands?\b/i, 'unchanged'],
  [/\bbut for\b/i, 'except'],
  [/\bno such thing\b/i, 'not found'],
  [/\bstands? beside\b/i, 'is combined with'],
  [/\bof which\b/i, 'a new sentence'],
  [/\bof what\b/i, 'the name of the thing'],
  [/\b(?:function|const) (?:take|hold)[A-Z]/, 'lock, allocate, delete, accept: what the function does'],
];

/** Product code, tests and documents. */
const FILES = [
  '*.{ts,md}',
  '{api,worker,core,shared,db,cli,web,test,docs}/**/*.{ts,js,html,css,md}',
  'db/**/*.sql',
];
const ALLOWED = ['test/support/check-words.ts', 'test/demo/samples/**'];

const found = globSync(FILES, { cwd: ROOT, exclude: ALLOWED }).flatMap((file) =>
  readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      REFUSED.filter(([phrase]) => phrase.test(line)).map(
        ([phrase, instead]) => `${file}:${index + 1}: "${phrase.exec(line)?.[0]}": write ${instead}`,
      ),
    ),
);
if (found.length > 0) {
  console.error(found.join('\n'));
  process.exitCode = 1;
}
