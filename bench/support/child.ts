import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { API_TOKEN } from '../../test/support/needs/process.ts';
import { ROOT } from '../../test/support/root.ts';
import { runnerEnvironment } from '../../test/support/runner-environment.ts';

/** A process beside this one, which answers one message at a time. Bytes go along as they are. */
export interface Child {
  readonly pid: number;
  ask<Answer>(message: object | string): Promise<Answer>;
  /** Its next message, unasked. */
  hear<Answer>(): Promise<Answer>;
  end(): Promise<void>;
}

/**
 * Starts a file of the repository as a process of its own. What it logs is written, as in production, and not read.
 * @param execArgv arguments of Node
 * @param root of another checkout, to start its file
 */
export function startChild(
  file: string,
  env: Record<string, string> = {},
  {
    args = [],
    execArgv = [],
    root = ROOT,
  }: { args?: readonly string[]; execArgv?: readonly string[]; root?: string } = {},
): Child {
  const { PATH, HOME } = process.env;
  const child = fork(join(root, file), [...args], {
    env: { PATH, HOME, ...runnerEnvironment(), ...env },
    execArgv: [...execArgv],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const hear = <Answer>() => nextMessage<Answer>(child, file);
  if (child.pid === undefined) throw new Error(`${file} was not started`);
  return {
    pid: child.pid,
    hear,
    ask: (message) => {
      const answer = hear<never>();
      child.send(message);
      return answer;
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function nextMessage<Answer>(child: ChildProcess, file: string): Promise<Answer> {
  const listening = new AbortController();
  const { signal } = listening;
  const exit = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${file} ended with ${String(code)}`);
  });
  exit.catch(() => undefined);
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), exit])) as [Answer];
    return message;
  } finally {
    listening.abort();
  }
}

/** Makes this process one that obeys: it answers each message of its parent, and ends with it. */
export function obey<Order>(work: (order: Order) => Promise<unknown>): void {
  process.on('message', (order: Order) => {
    work(order).then(
      (answer) => process.send?.(answer),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  });
  process.once('disconnect', () => process.exit());
}

/** An API as a process of its own, without a worker beside it. */
export interface Api {
  child: Child;
  url: URL;
}

/** Starts the API of a checkout, as `npm run api` does. */
export async function startApi(
  databaseUrl: string,
  settings: Record<string, string> = {},
  root = ROOT,
): Promise<Api> {
  const env = {
    MEMORY_API_TOKEN: API_TOKEN,
    MEMORY_DATABASE_URL: databaseUrl,
    MEMORY_API_HOST: '127.0.0.1',
    MEMORY_API_PORT: '0',
    MEMORY_RATE_LIMITS: 'off',
    MALLOC_TRIM_THRESHOLD_: '2097152',
    ...settings,
  };
  const child = startChild('api/main.ts', env, { execArgv: ['--max-semi-space-size=16'], root });
  const { listening } = await child.hear<{ listening: string }>();
  return { child, url: new URL(listening) };
}

/** Settings of an API that counts requests against its rate limits, which nobody reaches. */
export const WITH_LIMITS = { MEMORY_RATE_LIMITS: 'on', MEMORY_RATE_LIMIT_PER_MINUTE: '1000000' };
