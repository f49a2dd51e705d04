import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  endProcesses,
  printedUrl,
  startCommand,
  startMain,
  temporaryFolder,
} from '../../test/support/needs/process.ts';

/**
 * `npm run bench:start`: how long the embedded service takes to start after `kill -9` with 1 GB of data (`--megabytes`),
 * and its log at that moment. Exits with 1 if a start takes more than 30 seconds.
 */
const MAX_SECONDS = 30;
/** When the process is killed. */
const MOMENTS = {
  'after a stop by SIGTERM': 'stop',
  'killed before a checkpoint': 'before-checkpoint',
  'killed while one statement writes all pages': 'all-pages',
} as const;

const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1000' } } });

/** The bytes of all files below a folder, in MiB. */
function megabytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const bytes = files.map((file) => statSync(join(file.parentPath, file.name)).size);
  return Math.round(bytes.reduce((sum, size) => sum + size, 0) / 2 ** 20);
}

async function secondsToStart(cwd: string): Promise<number> {
  const began = performance.now();
  const service = startMain('start.ts', { cwd, env: { MEMORY_API_PORT: '0' } });
  await printedUrl(service);
  const seconds = (performance.now() - began) / 1000;
  service.child.kill('SIGTERM');
  await service.exited;
  return seconds;
}

let slow = false;
try {
  for (const [name, moment] of Object.entries(MOMENTS)) {
    const cwd = await temporaryFolder();
    const files = join(cwd, '.data', 'postgres');
    await secondsToStart(cwd);
    const args = [join(import.meta.dirname, 'writer.ts')];
    const writer = startCommand(process.execPath, [...args, join(cwd, '.data'), values.megabytes, moment]);
    const ended = await writer.exited;
    if (ended !== 'SIGKILL' && ended !== 0) throw new Error(writer.stderr.join('\n'));
    const log = megabytesOf(join(files, 'pg_wal'));
    const data = megabytesOf(files) - log;
    const seconds = await secondsToStart(cwd);
    slow ||= seconds > MAX_SECONDS;
    process.stdout.write(
      `${name.padEnd(45)} data ${data} MiB, log ${log} MiB, start ${seconds.toFixed(1)} s\n`,
    );
  }
} finally {
  await endProcesses();
}
process.exitCode = slow ? 1 : 0;
