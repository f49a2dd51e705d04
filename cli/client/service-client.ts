import { setTimeout as pause } from 'node:timers/promises';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { describeSeconds } from '../../shared/formats/times.ts';
import { Health } from '../../shared/schemas/status.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { PROGRAM } from '../terminal/program.ts';
import { loginCommand, type Profile } from './profiles.ts';

const TIMEOUT_MS = 30_000;
/** The service ends a download after an hour. Without any byte for five minutes, `fetch` ends it. */
const DOWNLOAD_TIMEOUT_MS = 3_620_000;

/** A token, and where it comes from: the variable, or the session of a profile. */
export type Credential = { token: string } & (
  | { source: 'MEMORY_API_TOKEN' }
  | { source: 'session'; profile: Profile }
);

/**
 * Sends requests to the service, with one credential. Each answer is checked against the schema of its route, because
 * a different service can be running at that address, and its answers would make a command fail halfway.
 */
export interface ServiceClient {
  /** @param options `timeoutMs` if the answer can take longer than the default of 30 s; `signal` ends the request early */
  get<Answer extends TSchema>(
    path: string,
    answer: Answer,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<Static<Answer>>;
  /** @param options `idempotencyKey` makes a repeated request safe, on routes that support it */
  post<Answer extends TSchema>(
    path: string,
    answer: Answer,
    body?: unknown,
    options?: { timeoutMs?: number; idempotencyKey?: string },
  ): Promise<Static<Answer>>;
  /** @param options as of `get` */
  patch<Answer extends TSchema>(
    path: string,
    answer: Answer,
    body: unknown,
    options?: { timeoutMs?: number },
  ): Promise<Static<Answer>>;
  /** Passes the bytes of a file on, piece by piece, as they arrive. A failure of `write` must be a CommandError. */
  download(path: string, write: (piece: Uint8Array) => Promise<void>): Promise<void>;
  /** Sends a DELETE, which has no answer. */
  delete(path: string, body?: unknown): Promise<void>;
}

/** The schema of an answer without a body (204). */
export const NoBody = Type.Undefined();

/** A temporary failure: no connection, no answer, too many requests, or a service that is unavailable. */
export class TemporaryFailure extends CommandError {
  /** The message without its advice. */
  readonly what: string;
  /** The seconds after which the service wants the next attempt, or null if it gave none. */
  readonly retryAfter: number | null;
  constructor(what: string, advice: string, retryAfter: number | null) {
    super(`${what}: ${advice}`);
    this.what = what;
    this.retryAfter = retryAfter;
  }
}

/** The codes of a credential that is not valid, or no longer. */
const CREDENTIAL_CODES = new Set(['unauthenticated', 'session_expired', 'agent_token_expired']);

/** An error answer of the service, with its error code. */
export class ServiceRefusal extends CommandError {
  readonly status: number;
  readonly code: string;
  /** All that the service said, such as the Companies of a sign-in. */
  readonly problem: unknown;
  constructor(status: number, code: string, message: string, problem: unknown = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.problem = problem;
  }

  /** Whether the credential is not valid, or no longer. */
  get isCredentialInvalid(): boolean {
    return CREDENTIAL_CODES.has(this.code);
  }
}

interface Request {
  body?: unknown;
  timeoutMs?: number;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

let connected: (url: string) => void = () => {};

/** Calls a function with the address of each service that this process connects to from now on. */
export function onConnect(listener: (url: string) => void): void {
  connected = listener;
}

const seenVersions = new Map<string, string>();

/** The version of a service, if this process has asked for its health; otherwise undefined. */
export const seenVersion = (url: string) => seenVersions.get(url);

/**
 * Creates a client of the service at `url`, which has no slash at its end. Every failure is a CommandError of one line.
 * @param credential is sent only to this address; with null, requests have no credential
 * @param team the id of the Team; null if the caller has access to only one Team, or the requests need none
 */
export function connect(
  url: string,
  credential: Credential | null,
  team: string | null = null,
): ServiceClient {
  connected(url);
  const headers = {
    // The list of a user's sessions shows it.
    'user-agent': 'team-memory-cli',
    ...(credential === null ? {} : { authorization: `Bearer ${credential.token}` }),
    ...(team === null ? {} : { 'memory-team': team }),
  };
  const request = async <Answer extends TSchema>(
    method: string,
    path: string,
    schema: Answer,
    { body, timeoutMs = TIMEOUT_MS, signal, idempotencyKey }: Request = {},
  ) => {
    const { response, text } = await sendRequest(url, path, timeoutMs, {
      method,
      headers: {
        ...headers,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Following a redirect would turn a POST into a GET, and could send the credential to another address.
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
    });
    const received = readAnswer(response, text, url, credential);
    // Fields that an older service does not have yet.
    const answer = Value.Check(schema, received) ? received : Value.Default(schema, received);
    if (!Value.Check(schema, answer)) throw unexpectedAnswer(url, response.status);
    if (Value.Check(Health, answer)) seenVersions.set(url, answer.version);
    return answer;
  };
  return {
    get: (path, schema, options) => request('GET', path, schema, options),
    post: (path, schema, body, options) => request('POST', path, schema, { ...options, body }),
    patch: (path, schema, body, options) => request('PATCH', path, schema, { ...options, body }),
    download: async (path, write) => {
      const refused = await receiveFile(url, path, { headers, redirect: 'manual' }, write);
      if (refused === null) return;
      readAnswer(refused.response, refused.text, url, credential);
      throw unexpectedAnswer(url, refused.response.status);
    },
    delete: (path, body) => request('DELETE', path, NoBody, { body }),
  };
}

/**
 * Sends a request and reads the whole body, because the connection can also break while the body is read.
 * @throws TemporaryFailure
 */
export async function sendRequest(url: string, path: string, timeoutMs: number, init: RequestInit) {
  try {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal == null ? timeout : AbortSignal.any([timeout, init.signal]);
    const response = await fetch(url + path, { ...init, signal });
    return { response, text: await response.text() };
  } catch (error) {
    throw connectionFault(error, url, timeoutMs);
  }
}

/** Receives a file. Returns an answer that is not one. */
async function receiveFile(
  url: string,
  path: string,
  init: RequestInit,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<{ response: Response; text: string } | null> {
  try {
    const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
    if (response.status !== 200) return { response, text: await response.text() };
    for await (const piece of response.body ?? []) await write(piece as Uint8Array);
    return null;
  } catch (error) {
    throw error instanceof CommandError ? error : connectionFault(error, url, DOWNLOAD_TIMEOUT_MS);
  }
}

function connectionFault(error: unknown, url: string, timeoutMs: number): TemporaryFailure {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  const reason = name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : cause?.code;
  const suffix = typeof reason === 'string' ? ` (${reason})` : '';
  return new TemporaryFailure(`the service at ${url} cannot be reached${suffix}`, 'is it running?', null);
}

/** Parses an answer. Returns undefined for an empty body, and throws the error if the service refused the request. */
function readAnswer(response: Response, text: string, url: string, credential: Credential | null): unknown {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const target = oneLine(headers.get('location') ?? 'another address');
    throw new CommandError(`${url} redirects to ${target}: name that address with --url`);
  }
  const answer = parseJson(text);
  if (response.ok) return answer;
  // A proxy in front of the service can send these statuses too, with a body of its own.
  if (status >= 502 && status <= 504)
    throw temporarilyUnavailable(`the service at ${url} cannot answer now (${status})`, headers);
  if (status === 429) throw temporarilyUnavailable('too many attempts (rate_limited)', headers);
  const { code, detail } = (answer ?? {}) as { code?: unknown; detail?: unknown };
  if (status === 413 && typeof code !== 'string') {
    throw new ServiceRefusal(
      status,
      'payload_too_large',
      'too large for the proxy in front of the service (413)',
    );
  }
  if (typeof code !== 'string') throw unexpectedAnswer(url, status);
  if (code === 'team_required') {
    const advice = `choose one with --team, or for all commands with ${PROGRAM} team use (whoami lists yours)`;
    throw new ServiceRefusal(status, code, `you have access to several Teams: ${advice}`);
  }
  if (code === 'method_not_allowed' || detail === 'The route does not exist') {
    const message = `the service at ${url} is older than this program, and does not have this command: upgrade it`;
    throw new ServiceRefusal(status, code, message);
  }
  const message = oneLine(`${code}: ${String(detail)}`);
  const refusal = new ServiceRefusal(status, code, `the service refused: ${message}`, answer);
  if (!refusal.isCredentialInvalid || credential?.source !== 'session') throw refusal;
  const login = loginCommand(credential.profile, url);
  throw new ServiceRefusal(status, code, `the session at ${url} has ended: sign in again with ${login}`);
}

function unexpectedAnswer(url: string, status: number): CommandError {
  return new CommandError(`${url} answered ${status}, but not as this service does: check --url`);
}

function temporarilyUnavailable(what: string, headers: Headers): TemporaryFailure {
  const header = headers.get('retry-after') ?? '';
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : null;
  return new TemporaryFailure(
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

/** Attempts for one request. With the pauses below, they cover an outage of a minute and a half. */
const MAX_TRIES = 9;
const FIRST_PAUSE_SECONDS = 0.5;
const MAX_PAUSE_SECONDS = 30;
/** The longest pause, even if the service asks for a longer one: a person is waiting at the terminal. */
const MAX_REQUESTED_SECONDS = 300;

/** The seconds to wait before the next attempt, or null if another attempt would not help. */
function pauseAfter(error: unknown, tries: number): number | null {
  const seconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** (tries - 1), MAX_PAUSE_SECONDS);
  if (error instanceof TemporaryFailure) return Math.min(error.retryAfter ?? seconds, MAX_REQUESTED_SECONDS);
  // The same request is still running. Its answer is valid for this one too.
  const isInProgress = error instanceof ServiceRefusal && error.code === 'idempotency_in_progress';
  return isInProgress ? seconds : null;
}

/**
 * Retries requests that fail for a temporary reason. The delay is the one that the service asks for, otherwise it
 * doubles with each attempt. Only for requests that can be repeated safely. If the service has never answered, nothing
 * is retried, because its address can be wrong.
 * @param onWait receives the reason for each wait, and null when the wait is over
 * @param hasAnswered whether the service has answered an earlier request
 */
export function withRetry(
  service: ServiceClient,
  onWait: (text: string | null) => void,
  hasAnswered = false,
): ServiceClient {
  let answered = hasAnswered;
  const withAttempts = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await ask();
        answered = true;
        if (tries > 1) onWait(null);
        return answer;
      } catch (error) {
        const seconds = pauseAfter(error, tries);
        answered ||= !(error instanceof TemporaryFailure) || error.retryAfter !== null;
        if (seconds === null || !answered || tries === MAX_TRIES) throw error;
        const again = `again in ${describeSeconds(seconds)} (${tries} of ${MAX_TRIES - 1})`;
        onWait(
          error instanceof TemporaryFailure
            ? `${error.what}, ${again}`
            : `the same request is still running, ${again}`,
        );
        await pause(seconds * 1000);
      }
    }
  };
  return {
    get: (path, answer, options) => withAttempts(() => service.get(path, answer, options)),
    post: (path, answer, body, options) => withAttempts(() => service.post(path, answer, body, options)),
    patch: (path, answer, body, options) => withAttempts(() => service.patch(path, answer, body, options)),
    // Not repeated: a part of it can have been written already.
    download: (path, write) => service.download(path, write),
    delete: (path, body) => withAttempts(() => service.delete(path, body)),
  };
}
