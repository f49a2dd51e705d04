import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../root.ts';

/*
 * `npm run test:coverage -- FOLDER`: prints which lines were run by the commands that had MEMORY_TEST_COVERAGE=FOLDER.
 * Fails if they are too few.
 */

/** The least part of the lines that the tests must run, in percent. */
const LEAST = '95';
/** Not the worker and the client: much of them runs only in processes that tests start, where no line is counted. */
const FOLDERS = ['api', 'core', 'db', 'shared'];
const NOT_COUNTED = ['db/move'];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder that MEMORY_TEST_COVERAGE named');

const { status } = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules', 'c8', 'bin', 'c8.js'),
    'report',
    '--temp-directory',
    folder,
    ...FOLDERS.flatMap((name) => ['--include', `${name}/**/*.ts`]),
    ...NOT_COUNTED.flatMap((name) => ['--exclude', `${name}/**`]),
    '--check-coverage',
    '--lines',
    LEAST,
  ],
  { cwd: ROOT, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
