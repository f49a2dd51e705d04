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
async function check(): Promise<boolean> {
  const [code] = (await once(spawn('npm', ['run', 'check'], { cwd: ROOT, stdio: 'inherit' }), 'exit')) as [
    number | null,
  ];
  return code === 0;
}

/**
 * Sets up what is missing while it checks types, lint, format and words.
 * @returns null if a check fails, or if something is missing that cannot be skipped; it has printed which
 */
export async function setUpAndCheck(givenServer: string | undefined): Promise<SetUp | null> {
  process.stdout.write('\n== set-up and npm run check\n');
  const [ready, passes] = await Promise.all([setUp(thisMachine(givenServer)), check()]);
  for (const line of ready.skipped) process.stdout.write(`skipped: ${line}\n`);
  if (ready.isComplete && passes) return ready;
  if (ready.server !== null && givenServer === undefined) await stopUnusedServer(ready.server);
  process.stdout.write(passes ? '\n== something is missing, and CI is set\n' : '\n== npm run check failed\n');
  return null;
}
