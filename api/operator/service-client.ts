import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { OperatorError, oneLine } from './command.ts';
import { describeSeconds } from './duration.ts';

const TIMEOUT_MS = 30_000;

/** As whom the service is asked. */
export interface Credential {
  token: string;
  source: 'MEMORY_API_TOKEN' | 'session';
}

/**
 * The running service, asked as whom the credential stands for. An answer is held against the schema of its route:
 * another service at that address may answer too, and would else fail a command halfway.
 */
export interface ServiceClient {
  /** @param options `timeoutMs` where the answer may take longer than the usual 30 s */
  get<Answer extends TSchema>(
    path: string,
    answer: Answer,
    options?: { timeoutMs?: number },
  ): Promise<Static<Answer>>;
  post<Answer extends TSchema>(path: string, answer: Answer, body?: unknown): Promise<Static<Answer>>;
}

/** The answer of a route that has none to give (204). */
export const Nothing = Type.Undefined();

/** A refusal by the service itself, with its code. */
export class ServiceRefusal extends OperatorError {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }

  /** Whether the credential counts no more: what it stood for has ended. */
  get ended(): boolean {
    return this.code === 'unauthenticated' || this.code === 'session_expired';
  }
}

/**
 * A client of the service at `url`, which has no slash at its end. Every failure is an OperatorError of one line.
 * @param credential sent to this address alone; null asks as no one
 */
export function connect(url: string, credential: Credential | null): ServiceClient {
  const ask = async <Answer extends TSchema>(
    method: string,
    path: string,
    schema: Answer,
    { body, timeoutMs = TIMEOUT_MS }: { body?: unknown; timeoutMs?: number } = {},
  ) => {
    const response = await reach(url, path, timeoutMs, {
      method,
      headers: {
        // Shown in the list of one's sessions.
        'user-agent': 'team-memory-operator',
        ...(credential === null ? {} : { authorization: `Bearer ${credential.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Followed, a redirect would turn a POST into a GET, and may lead elsewhere with the credential.
      redirect: 'manual',
    });
    const answer = await readAnswer(response, url, credential);
    if (!Value.Check(schema, answer)) throw notThisService(url, response.status);
    return answer;
  };
  return {
    get: (path, schema, options) => ask('GET', path, schema, options),
    post: (path, schema, body) => ask('POST', path, schema, { body }),
  };
}

async function reach(url: string, path: string, timeoutMs: number, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url + path, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
    const reason = name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : cause?.code;
    const suffix = typeof reason === 'string' ? ` (${reason})` : '';
    throw new OperatorError(`the service at ${url} cannot be reached${suffix}: is it running?`);
  }
}

/** What the service said, undefined where that is nothing; throws what it refused. */
async function readAnswer(response: Response, url: string, credential: Credential | null): Promise<unknown> {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const target = headers.get('location') ?? 'another address';
    throw new OperatorError(`${url} redirects to ${target}: name that address with --url`);
  }
  const answer = parseJson(await response.text().catch(() => ''));
  if (response.ok) return answer;
  // A proxy before the service answers so too, in its own words.
  if (status >= 502 && status <= 504) {
    throw new OperatorError(
      `the service at ${url} cannot answer now (${status}): try again ${later(headers)}`,
    );
  }
  const { code, detail } = (answer ?? {}) as { code?: unknown; detail?: unknown };
  if (typeof code !== 'string') throw notThisService(url, status);
  if (code === 'rate_limited') {
    throw new ServiceRefusal(code, `too many attempts (rate_limited): try again ${later(headers)}`);
  }
  const refusal = new ServiceRefusal(code, `the service refused: ${oneLine(`${code}: ${String(detail)}`)}`);
  if (!refusal.ended || credential?.source !== 'session') throw refusal;
  const login = `npm run operator -- login --url ${url}`;
  throw new ServiceRefusal(code, `the session at ${url} has ended: sign in again with ${login}`);
}

function notThisService(url: string, status: number): OperatorError {
  return new OperatorError(`${url} answered ${status}, but not as this service does: check --url`);
}

function later(headers: Headers): string {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(seconds) ? `in ${describeSeconds(Number(seconds))}` : 'later';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
