import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from '../support/needs/command.ts';
import { ROOT } from '../support/root.ts';
import { installPrograms } from './frame/install.ts';
import { writeReport } from './frame/report.ts';

/*
 * `npm run test:clients`: real programs against the service.
 *
 *   node test/clients/run.ts [FILE...] [--test-name-pattern=REGEXP]
 *
 * Installs the programs, then runs the tests in namespaces of Linux: their network has only the loopback address, so
 * that no program can reach anything else, and what a program leaves running ends with the tests. A run of all files writes docs/operations/clients.md.
 */

const args = process.argv.slice(2);
await installPrograms();
const folder = await mkdtemp(join(tmpdir(), 'team-memory-clients-'));
const results = join(folder, 'results.jsonl');
await writeFile(results, '');
const tests = [process.execPath, join(ROOT, 'test/support/runner/run.ts'), 'clients', ...args];
const { status } = spawnSync(
  'unshare',
  [
    '--map-root-user',
    '--net',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    'sh',
    '-c',
    'ip link set lo up && exec "$@"',
    'sh',
    ...tests,
  ],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, MEMORY_TEST_CLIENT_RESULTS: results } },
);
if (args.length === 0) writeReport(results);
await rm(folder, { recursive: true });
process.exit(status ?? 1);
