import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError, reason } from './failure.ts';

const TIMEOUT_MS = 60_000;
const ATTEMPTS = 5;

/** The service over HTTP, as any program would use it. Answers are JSON; a refusal is a DemoError. */
export interface Client {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
}

/**
 * A client of the service at `base`.
 * @param token sent as the Bearer credential
 * @param team which Team is meant, for callers of several
 */
export function connect(base: string, token: string, team?: string): Client {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(team === undefined ? {} : { 'memory-team': team }),
  };
  const ask = async <T>(path: string, init: RequestInit): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await reach(base, path, init);
      const text = await response.text();
      if (response.ok) return readJson<T>(text, base);
      if (response.status !== 429 || attempt === ATTEMPTS) throw refusal(response.status, text, path);
      await sleep(1000 * Math.min(60, Number(response.headers.get('retry-after')) || attempt));
    }
  };
  return {
    get: (path) => ask(path, { headers }),
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}

async function reach(base: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(base + path, {
      ...init,
      // Followed, a redirect may lead elsewhere with the credential.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    throw new DemoError(`the service at ${base} cannot be reached (${reason(cause ?? error)})`);
  }
}

function readJson<T>(text: string, base: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new DemoError(`${base} does not answer as this service does: check --url`);
  }
}

function refusal(status: number, text: string, path: string): DemoError {
  type Problem = { code?: unknown; detail?: unknown };
  let answer: Problem | null = null;
  try {
    answer = JSON.parse(text) as Problem;
  } catch {
    // A proxy's page, say.
  }
  const { code, detail }: Problem = answer ?? {};
  const why =
    typeof code === 'string'
      ? `${code}${typeof detail === 'string' ? `: ${detail}` : ''}`
      : 'no reason given';
  return new DemoError(`${path} answered ${status}: ${reason(why)}`);
}
