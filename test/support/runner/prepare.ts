import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { isInstalled, PROGRAMS, type ProgramName } from '../needs/programs.ts';
import { retrievalFolder } from '../retrieval-set.ts';
import { ROOT } from '../root.ts';
import { startServer, stopUnusedServer } from './postgres.ts';
import { type Machine, type SetUp, setUp } from './set-up.ts';

const run = promisify(execFile);

const apt = (...args: readonly string[]) =>
  run('apt-get', ['-qq', '-y', ...args], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });

const thisMachine = (givenServer: string | undefined): Machine => ({
  missingPrograms: () => (Object.keys(PROGRAMS) as ProgramName[]).filter((name) => !isInstalled(name)),
  install:
    process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
      ? async (packages) => {
          await apt('update');
          await apt('install', '--no-install-recommends', ...packages);
        }
      : null,
  startServer: () => startServer(givenServer),
  hasRetrievalSet: retrievalFolder() !== null,
  isCi: Boolean(process.env['CI']),
});

/** Runs `npm run check`. Says whether it passes. */
export async function checks(): Promise<boolean> {
  process.stdout.write('\n== npm run check\n');
  const child = spawn('npm', ['run', 'check'], { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.stdout.write('\n== npm run check failed\n');
  return code === 0;
}

/**
 * Sets up what is missing.
 * @returns null if something is missing that cannot be skipped; it has printed which
 */
export async function setUpRest(givenServer: string | undefined): Promise<SetUp | null> {
  process.stdout.write('\n== set-up\n');
  const ready = await setUp(thisMachine(givenServer));
  for (const line of ready.skipped) process.stdout.write(`skipped: ${line}\n`);
  if (ready.isComplete) return ready;
  if (ready.server !== null && givenServer === undefined) await stopUnusedServer(ready.server);
  process.stdout.write('\n== something is missing, and CI is set\n');
  return null;
}
