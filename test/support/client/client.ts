import assert from 'node:assert/strict';
import type { LightMyRequestResponse } from 'fastify';
import type { App } from '../../../api/types.ts';
import { ROUTES } from '../../../web/src/api/operations.ts';
import type { Method, Route } from '../../../web/src/api/route.ts';

export type { Method };

/*
 * The typed client of the tests: every operation of the API, by its `operationId`, for one caller. The arguments are those of
 * the path, then the body or the query, then further headers.
 *
 *   await owner.api.ingestSource({ title, text })     the body of a success; anything else fails the test
 *   await owner.ask.ingestSource({ title: 7 })        the answer, whatever it is; any body can be sent
 *   await owner.all.listSources({ tag })              the items of all pages of a list
 */

type Headers = Record<string, string>;

/** What the service answered. */
export interface Answer<T = unknown> extends Omit<LightMyRequestResponse, 'json'> {
  json<As = T>(): As;
}

type Name = keyof typeof ROUTES;
type Operations = {
  [N in Name]: (typeof ROUTES)[N] extends Route<infer Call extends (...args: never) => unknown>
    ? Call
    : never;
};
/** A body as tests write it: any text where some texts are allowed, lists that are read only, and fields that are undefined. */
type Written<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : T extends object
      ? { [Field in keyof T]: Written<T[Field]> | (object extends Pick<T, Field> ? undefined : never) }
      : T;
type Given<N extends Name> =
  Parameters<Operations[N]> extends infer Args extends unknown[]
    ? { [I in keyof Args]: Written<Args[I]> }
    : never;
/** The body of an operation without parameters in its path. */
export type Body<N extends Name> = Given<N> extends [infer First, ...unknown[]] ? First : never;
type Result<N extends Name> = ReturnType<Operations[N]>;
/** The same arguments, without a rule for bodies and queries: their faults are for the service to find. */
type Loose<Args extends unknown[]> = { [I in keyof Args]: Args[I] extends string ? string | null : unknown };
type ItemOf<T> = T extends { items: (infer Item)[] } ? Item : never;

export type Api = {
  [N in Name]: (...args: [...given: Given<N>, headers?: Headers]) => Promise<Result<N>>;
};
export type Ask = {
  [N in Name]: (
    ...args: [...given: Partial<Loose<Given<N>>>, headers?: Headers]
  ) => Promise<Answer<Result<N>>>;
};
export type All = {
  [N in Name as Result<N> extends { items: unknown[] } ? N : never]: (
    ...args: Given<N>
  ) => Promise<ItemOf<Result<N>>[]>;
};

/** Someone who sends requests: the service knows who it is, and for which Team, by the headers. */
export interface Caller {
  readonly headers: Headers;
  readonly api: Api;
  readonly ask: Ask;
  readonly all: All;
  /** Sends a request that no operation has in this form; a string is sent as it is. */
  send(method: Method, url: string, body?: unknown, headers?: Headers): Promise<Answer>;
  /** The items of all pages of an address. */
  readAll<T>(url: string, limit?: number): Promise<T[]>;
  /** The same caller with further headers. */
  with(headers: Headers): Caller;
}

/** Someone with a credential, in a Team. */
export interface TeamCaller extends Caller {
  readonly headers: { authorization: string; 'memory-team': string };
}

type Send = Caller['send'];

/** Sends requests with these headers. */
const sender =
  (app: App, own: Headers): Send =>
  async (method, url, body, headers) => {
    const sent =
      body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) };
    const contentType = body === undefined ? {} : { 'content-type': 'application/json' };
    return app.inject({ method, url, headers: { ...own, ...contentType, ...headers }, ...sent });
  };

/** An address with a query, of what has a value. */
function addressOf(path: string, query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const mark = path.includes('?') ? '&' : '?';
  return given.length === 0
    ? path
    : `${path}${mark}${new URLSearchParams(given as [string, string][]).toString()}`;
}

/** Splits the arguments of an operation. */
function readArguments(name: Name, args: readonly unknown[]) {
  const [method, path] = ROUTES[name];
  const rest = [...args];
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())));
  const [given, headers] = rest as [unknown, Headers | undefined];
  return method === 'GET'
    ? { method, url: addressOf(filled, given ?? {}), body: undefined, headers }
    : { method, url: filled, body: given, headers };
}

/** What came of a request that must succeed. */
function contentOf(about: string, answer: Answer): unknown {
  assert.ok(answer.statusCode < 300, `${about}: ${answer.statusCode} ${answer.body}`);
  if (answer.body === '') return null;
  return /\bjson\b/.test(String(answer.headers['content-type'])) ? answer.json() : answer.body;
}

const LARGEST_PAGE = 200;

async function readPages<T>(send: Send, url: string, limit = LARGEST_PAGE): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const asked = addressOf(url, { limit: /[?&]limit=/.test(url) ? null : limit, cursor });
    const page = contentOf(url, await send('GET', asked)) as { items: T[]; nextCursor: string | null };
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

type Call = (...args: unknown[]) => Promise<unknown>;
const each = (made: (name: Name) => Call) =>
  Object.fromEntries((Object.keys(ROUTES) as Name[]).map((name) => [name, made(name)])) as unknown;

/** The caller that sends these headers. */
export function callerOf<H extends Headers>(app: App, headers: H): Caller & { headers: H } {
  const send = sender(app, headers);
  const ask = (name: Name, args: readonly unknown[]) => {
    const { method, url, body, headers: further } = readArguments(name, args);
    return send(method, url, body, further);
  };
  return {
    headers,
    send,
    readAll: (url, limit) => readPages(send, url, limit),
    ask: each(
      (name) =>
        (...args) =>
          ask(name, args),
    ) as Ask,
    api: each(
      (name) =>
        async (...args) =>
          contentOf(name, await ask(name, args)),
    ) as Api,
    all: each(
      (name) =>
        (...args) =>
          readPages(send, readArguments(name, args).url),
    ) as All,
    with: (further) => callerOf(app, { ...headers, ...further }),
  };
}

/** The same caller, served by another process. */
export const via = <C extends Caller>({ app }: { app: App }, caller: C): C => ({
  ...caller,
  ...callerOf(app, caller.headers),
});
