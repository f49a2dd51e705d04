import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { API_TOKEN } from '../../test/support/needs/process.ts';
import { ROOT } from '../../test/support/root.ts';
import { runnerEnvironment } from '../../test/support/runner-environment.ts';

/** A process beside this one, which answers one message at a time. Bytes go along as they are. */
export interface Child {
  readonly pid: number;
  ask<Answer>(message: object): Promise<Answer>;
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
  { execArgv = [], root = ROOT }: { execArgv?: readonly string[]; root?: string } = {},
): Child {
  const { PATH, HOME } = process.env;
  const child = fork(join(root, file), {
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

/** The API of a checkout as a process of its own, without a worker beside it. */
export async function startApiProcess(databaseUrl: string, root = ROOT): Promise<{ child: Child; url: URL }> {
  const env = {
    MEMORY_API_TOKEN: API_TOKEN,
    MEMORY_DATABASE_URL: databaseUrl,
    MEMORY_API_HOST: '127.0.0.1',
    MEMORY_API_PORT: '0',
    MEMORY_RATE_LIMITS: 'off',
  };
  const child = startChild('api/main.ts', env, { root });
  const { listening } = await child.hear<{ listening: string }>();
  return { child, url: new URL(listening) };
}
