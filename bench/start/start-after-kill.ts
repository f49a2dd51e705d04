import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { printedUrl, startCommand, startMain, temporaryFolder } from '../../test/support/needs/process.ts';
import { runBench } from '../support/bench.ts';

/** The longest that a start can take. */
const MAX_SECONDS = 30;
/** When the process is killed. */
const MOMENTS = {
  'after a stop by SIGTERM': 'stop',
  'killed before a checkpoint': 'before-checkpoint',
  'killed while one statement writes all pages': 'all-pages',
} as const;

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

await runBench(
  {
    name: 'bench:start',
    about: 'How long the embedded service takes to start after kill -9, and its log at that moment.',
    options: { megabytes: [1000, 'of data'] },
  },
  async ({ megabytes }, report) => {
    report.width = 45;
    report.row('', ['data MiB', 'log MiB', 'start s']);
    for (const [name, moment] of Object.entries(MOMENTS)) {
      const cwd = await temporaryFolder();
      const files = join(cwd, '.data', 'postgres');
      await secondsToStart(cwd);
      const args = [join(import.meta.dirname, 'writer.ts'), join(cwd, '.data'), String(megabytes), moment];
      const writer = startCommand(process.execPath, args);
      const ended = await writer.exited;
      if (ended !== 'SIGKILL' && ended !== 0) throw new Error(writer.stderr.join('\n'));
      const log = megabytesOf(join(files, 'pg_wal'));
      const data = megabytesOf(files) - log;
      const seconds = await secondsToStart(cwd);
      report.row(name, [data, log, seconds], report.hold(name, seconds, MAX_SECONDS), 1);
    }
  },
);
