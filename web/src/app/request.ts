import { ROUTES } from '../api/operations.ts';
import type { Route } from '../api/route.ts';
import { ROOT } from './root.ts';

/** An operation of the API, by its `operationId`. */
export type Name = keyof typeof ROUTES;

type CallOf<N extends Name> =
  (typeof ROUTES)[N] extends Route<infer Call extends (...args: never) => unknown> ? Call : never;
/** What an operation takes: the parameters of its path, then the body or the query. */
export type Args<N extends Name> = Parameters<CallOf<N>>;
export type Answer<N extends Name> = ReturnType<CallOf<N>>;

interface Problem {
  code?: string;
  detail?: string;
  errors?: { path: string; message: string }[];
}

/** The service refused a request. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly code: string;
  /** What is wrong with each field of the body, by its JSON pointer. */
  readonly fields: Readonly<Record<string, string>>;
  /** All that the problem says, such as the conflicts of a push. */
  readonly problem: object;
  /** After how many seconds to try again; 0 if the service did not say. */
  readonly retryAfter: number;

  constructor(status: number, problem: Problem, retryAfter = 0) {
    super(problem.detail ?? `The service answered with ${status}.`);
    this.status = status;
    this.code = problem.code ?? 'unknown';
    this.problem = problem;
    this.retryAfter = retryAfter;
    this.fields = Object.fromEntries((problem.errors ?? []).map(({ path, message }) => [path, message]));
  }
}

/** What is to end, and has ended by itself or by someone else, counts as ended. */
export const orGone = (sent: Promise<unknown>) =>
  sent.catch((error: unknown) => {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
  });

/** The service did not answer. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  constructor(cause: unknown) {
    super('The service cannot be reached. Check your connection.', { cause });
  }
}

const isJson = ({ headers }: Response) => /\bjson\b/.test(headers.get('content-type') ?? '');

/**
 * A request of the console.
 * @param team id of the Team that it is about; null if it is about none
 * @param idempotencyKey a request that is sent again with it takes effect once
 */
type Request<N extends Name> = [
  team: string | null,
  name: N,
  args: Args<N>,
  signal?: AbortSignal,
  idempotencyKey?: string,
];

/** Sends a request, and returns what came back if it is no refusal. */
async function ask<N extends Name>(...request: Request<N>): Promise<Response> {
  const [team, name, args, signal, idempotencyKey] = request;
  const [method, pattern] = ROUTES[name];
  const rest: unknown[] = [...args];
  const path = pattern.slice(1).replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())));
  const given = rest[0] as object | undefined;
  const url = new URL(path, ROOT);
  const headers = new Headers({ 'memory-console': '1' });
  const init: RequestInit = { method, headers, credentials: 'same-origin', signal: signal ?? null };
  if (team !== null) headers.set('memory-team', team);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  if (method === 'GET') {
    for (const [key, value] of Object.entries(given ?? {}))
      if (value !== undefined && value !== '') url.searchParams.set(key, String(value));
  } else if (given !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(given);
  }
  const response = await fetch(url, init).catch((error: unknown) => {
    throw signal?.aborted === true ? error : new Unreachable(error);
  });
  if (response.ok) return response;
  const problem = isJson(response) ? ((await response.json()) as Problem) : {};
  throw new Refusal(response.status, problem, Number(response.headers.get('retry-after')) || 0);
}

/**
 * Sends a request, and returns its answer; null if it has none.
 * @throws Refusal, Unreachable
 */
export async function send<N extends Name>(...request: Request<N>): Promise<Answer<N>> {
  const response = await ask(...request);
  const answer: unknown = isJson(response) ? await response.json() : await response.text();
  return (response.status === 204 ? null : answer) as Answer<N>;
}

/** The bytes of an answer, which have its media type. Throws as `send`. */
export const sendForBytes = async <N extends Name>(...request: Request<N>): Promise<Blob> =>
  (await ask(...request)).blob();
