import { setTimeout as sleep } from 'node:timers/promises';
import { API_TOKEN } from '../../support/needs/process.ts';

/** A request of the load. */
export interface LoadRequest {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Bearer token; the service's own if left out, none if null. */
  token?: string | null;
}

/** How a request ended: with a response, or with the reason why there is no response. */
export interface Reply {
  /** 0 if there was no response. */
  readonly status: number;
  /** Code of the error if there was no response, such as ECONNREFUSED. */
  readonly failure: string | null;
  readonly ms: number;
  /** When it ended, on the clock of performance.now(). */
  readonly at: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, or null if it is not JSON. */
  readonly json: unknown;
}

/** Longer than the service can take for a request, so that a hanging one shows up as such. */
const CLIENT_TIMEOUT_MS = 45_000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function failureOf(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? (name === 'TimeoutError' ? 'client time-out' : message);
}

/** Sends a request and waits for its end. Never throws: a request that fails is a result too. */
export async function send(url: string, request: LoadRequest, timeoutMs = CLIENT_TIMEOUT_MS): Promise<Reply> {
  const { method, path, body, token = API_TOKEN } = request;
  const began = performance.now();
  const ended = () => ({ ms: performance.now() - began, at: performance.now() });
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, failure: null, ...ended(), headers, text, json: parsed(text) };
  } catch (error) {
    const failure = failureOf(error);
    return { status: 0, failure, ...ended(), headers: new Headers(), text: '', json: null };
  }
}

/** Sends a GET. */
export function get(url: string, path: string, timeoutMs?: number): Promise<Reply> {
  return send(url, { method: 'GET', path }, timeoutMs);
}

/** Sends a GET again and again until the response is as wanted. Returns the milliseconds that it took. */
export async function untilReply(
  url: string,
  path: string,
  signal: AbortSignal,
  wanted: (reply: Reply) => boolean = ({ status }) => status === 200,
): Promise<number> {
  const began = performance.now();
  while (!wanted(await get(url, path, 15_000))) await sleep(100, undefined, { signal });
  return performance.now() - began;
}

/** Every item of a list, page by page. */
export async function wholeList(url: string, path: string, signal: AbortSignal): Promise<unknown[]> {
  const items: unknown[] = [];
  let cursor: string | null = null;
  do {
    signal.throwIfAborted();
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, failure, json } = await get(url, `${path}?limit=200${more}`);
    if (status !== 200) throw new Error(`GET ${path} failed with ${failure ?? status}`);
    const page = json as { items: unknown[]; nextCursor: string | null };
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

/** The value below which this part of the numbers is; 0 if the list is empty. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** How often each outcome occurred, such as `320 x 200, 4 x 503`. */
export function tally(replies: readonly Pick<Reply, 'status' | 'failure'>[]): string {
  const counts = new Map<string, number>();
  for (const { status, failure } of replies) {
    const outcome = failure ?? String(status);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts].map(([outcome, count]) => `${count} x ${outcome}`).join(', ');
}
