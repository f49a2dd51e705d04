import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { describeSeconds } from '../terminal/duration.ts';

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
  /** @param options `idempotencyKey` where the route answers once for it, so that it can be asked again */
  post<Answer extends TSchema>(
    path: string,
    answer: Answer,
    body?: unknown,
    options?: { timeoutMs?: number; idempotencyKey?: string },
  ): Promise<Static<Answer>>;
}

/** The answer of a route that has none to give (204). */
export const Nothing = Type.Undefined();

/** A failure that may pass: no connection, no answer, too many requests, a service that cannot answer now. */
export class PassingFailure extends CommandError {
  /** The message without its advice. */
  readonly what: string;
  /** Seconds after which to ask again, where it was said. */
  readonly retryAfter: number | null;
  constructor(what: string, advice: string, retryAfter: number | null) {
    super(`${what}: ${advice}`);
    this.what = what;
    this.retryAfter = retryAfter;
  }
}

/** A refusal by the service itself, with its code. */
export class ServiceRefusal extends CommandError {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Whether the credential counts no more: what it stood for has ended. */
  get ended(): boolean {
    return this.code === 'unauthenticated' || this.code === 'session_expired';
  }
}

interface Request {
  body?: unknown;
  timeoutMs?: number;
  idempotencyKey?: string;
}

/**
 * A client of the service at `url`, which has no slash at its end. Every failure is an CommandError of one line.
 * @param credential sent to this address alone; null asks as no one
 * @param team the id of the Team that is meant; null where the caller may enter one alone, or none is needed
 * @throws CommandError for an id that cannot be sent
 */
export function connect(
  url: string,
  credential: Credential | null,
  team: string | null = null,
): ServiceClient {
  if (team !== null && !/^[\w-]+$/.test(team)) {
    throw new CommandError('--team: expected the id of a Team (whoami tells yours)');
  }
  const ask = async <Answer extends TSchema>(
    method: string,
    path: string,
    schema: Answer,
    { body, timeoutMs = TIMEOUT_MS, idempotencyKey }: Request = {},
  ) => {
    const { response, text } = await reach(url, path, timeoutMs, {
      method,
      headers: {
        // Shown in the list of one's sessions.
        'user-agent': 'team-memory-cli',
        ...(credential === null ? {} : { authorization: `Bearer ${credential.token}` }),
        ...(team === null ? {} : { 'memory-team': team }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Followed, a redirect would turn a POST into a GET, and may lead elsewhere with the credential.
      redirect: 'manual',
    });
    const answer = readAnswer(response, text, url, credential);
    if (!Value.Check(schema, answer)) throw notThisService(url, response.status);
    return answer;
  };
  return {
    get: (path, schema, options) => ask('GET', path, schema, options),
    post: (path, schema, body, options) => ask('POST', path, schema, { ...options, body }),
  };
}

/** An answer with its whole text: a connection can break during the text too. */
async function reach(url: string, path: string, timeoutMs: number, init: RequestInit) {
  try {
    const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    return { response, text: await response.text() };
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
    const reason = name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : cause?.code;
    const suffix = typeof reason === 'string' ? ` (${reason})` : '';
    throw new PassingFailure(`the service at ${url} cannot be reached${suffix}`, 'is it running?', null);
  }
}

/** What the service said, undefined where that is nothing; throws what it refused. */
function readAnswer(response: Response, text: string, url: string, credential: Credential | null): unknown {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const target = headers.get('location') ?? 'another address';
    throw new CommandError(`${url} redirects to ${target}: name that address with --url`);
  }
  const answer = parseJson(text);
  if (response.ok) return answer;
  // A proxy before the service answers so too, in its own words.
  if (status >= 502 && status <= 504)
    throw notNow(`the service at ${url} cannot answer now (${status})`, headers);
  if (status === 429) throw notNow('too many attempts (rate_limited)', headers);
  const { code, detail } = (answer ?? {}) as { code?: unknown; detail?: unknown };
  if (status === 413 && typeof code !== 'string') {
    throw new ServiceRefusal(
      status,
      'payload_too_large',
      'too large for what stands before the service (413)',
    );
  }
  if (typeof code !== 'string') throw notThisService(url, status);
  const said = oneLine(`${code}: ${String(detail)}`);
  const refusal = new ServiceRefusal(status, code, `the service refused: ${said}`);
  if (!refusal.ended || credential?.source !== 'session') throw refusal;
  const login = `npm run cli -- login --url ${url}`;
  throw new ServiceRefusal(status, code, `the session at ${url} has ended: sign in again with ${login}`);
}

function notThisService(url: string, status: number): CommandError {
  return new CommandError(`${url} answered ${status}, but not as this service does: check --url`);
}

function notNow(what: string, headers: Headers): PassingFailure {
  const told = headers.get('retry-after') ?? '';
  const seconds = /^\d{1,9}$/.test(told) ? Number(told) : null;
  return new PassingFailure(
    what,
    `try again ${seconds === null ? 'later' : `in ${describeSeconds(seconds)}`}`,
    seconds,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
