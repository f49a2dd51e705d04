import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { runnerEnvironment } from '../support/runner-environment.ts';
import { DemoError } from './failure.ts';

const START = join(import.meta.dirname, '..', '..', 'start.ts');
/** The service itself gives up draining before that. */
const STOP_MS = 25_000;

/** A service of the demo's own. */
export interface OwnService {
  url: string;
  token: string;
}

/** What has to be undone, last made first. */
export type Undo = (() => Promise<void>)[];

/** A folder that goes with the demo. Made and noted in one go: an interruption finds both or neither. */
export function throwAwayFolder(undo: Undo): string {
  const folder = mkdtempSync(join(tmpdir(), 'team-memory-demo-'));
  undo.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  return folder;
}

function onLine(stream: Readable | null, hear: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', hear);
}

/**
 * Starts the whole service on the embedded database in a folder of its own, on a port that is free.
 * @param undo takes what ends the service and removes the folder, before either can be left behind
 * @throws DemoError with what the service said when it does not start
 */
export async function startService(model: { name: string; folder: string }, undo: Undo): Promise<OwnService> {
  const folder = throwAwayFolder(undo);
  const token = randomBytes(24).toString('base64url');
  const { PATH, HOME } = process.env;
  const service = spawn(process.execPath, [START], {
    // There, no .env of the project is read.
    cwd: folder,
    env: {
      PATH,
      HOME,
      ...runnerEnvironment(),
      MEMORY_API_TOKEN: token,
      MEMORY_API_PORT: '0',
      MEMORY_DATA_DIR: join(folder, 'database'),
      MEMORY_EMBEDDING_MODEL: model.name,
      MEMORY_MODEL_DIR: resolve(model.folder),
      MEMORY_LOG_LEVEL: 'error',
      MEMORY_RATE_LIMITS: 'off',
      MEMORY_DRAIN_SECONDS: '0',
    },
    // With a channel, by which it ends even where the demo is killed and cleans nothing up.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Otherwise Ctrl-C reaches it too, and it ends during a request before the demo has said why.
    detached: true,
  });
  const ended = new Promise<void>((resolveEnd) => service.once('close', () => resolveEnd()));
  undo.push(async () => {
    service.kill('SIGTERM');
    const late = setTimeout(() => service.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
  });

  const said: string[] = [];
  onLine(service.stderr, (line) => said.push(line));
  const url = new Promise<string | null>((found) => {
    onLine(service.stdout, (line) => {
      const address = /^Team memory listens on (\S+)$/.exec(line)?.[1];
      if (address !== undefined) found(address);
    });
    void ended.then(() => found(null));
  });
  const address = await url;
  if (address !== null) return { url: address, token };
  // A crash says much; what happened stands in one of the lines.
  const why = said.find((line) => /Error\b.*: /.test(line)) ?? said.at(-1) ?? 'it said nothing';
  throw new DemoError(`the service did not start: ${why}`);
}
