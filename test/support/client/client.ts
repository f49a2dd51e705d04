import assert from 'node:assert/strict';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { App } from '../../../api/types.ts';
import { type Operations, ROUTES } from './operations.ts';

/*
 * The typed client of the tests: every operation of the API, by its `operationId`, for one caller. The arguments are those of
 * the path, then the body or the query, then further headers.
 *
 *   await owner.api.ingestSource({ title, text })     the body of a success; anything else fails the test
 *   await owner.ask.ingestSource({ title: 7 })        the answer, whatever it is; any body can be sent
 *   await owner.all.listSources({ tag })              the items of all pages of a list
 */

/** A page of a list. */
export interface PageOf<T extends TSchema> {
  items: Static<T>[];
  nextCursor: string | null;
}

/** The query part of an address. */
export type Query<Key extends string> = { [K in Key]?: string | number | boolean | undefined };

type Headers = Record<string, string>;

/** What the service answered. */
export interface Answer<T = unknown> extends Omit<LightMyRequestResponse, 'json'> {
  json<As = T>(): As;
}

type Name = keyof Operations;
type Given<N extends Name> = Parameters<Operations[N]>;
type Result<N extends Name> = ReturnType<Operations[N]>;
/** The same arguments, without a rule for bodies and queries: their faults are for the service to find. */
type Loose<Args extends unknown[]> = { [I in keyof Args]: Args[I] extends string ? string : unknown };
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
  /** The same caller with further headers. */
  with(headers: Headers): Caller;
}

/** Someone with a credential, in a Team. */
export interface TeamCaller extends Caller {
  readonly headers: { authorization: string; 'memory-team': string };
}

/** A string is sent as it is, which JSON may not be. */
function payloadOf(body: unknown): Pick<InjectOptions, 'payload'> {
  if (body === undefined) return {};
  return { payload: typeof body === 'string' ? body : JSON.stringify(body) };
}

async function send(app: App, own: Headers, name: Name, args: readonly unknown[]): Promise<Answer> {
  const [method, path] = ROUTES[name];
  const rest = [...args];
  const pathname = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(rest.shift())));
  const [given, headers] = rest as [object | string | undefined, Headers | undefined];
  const isQuery = method === 'GET';
  const query = new URLSearchParams();
  if (isQuery) {
    for (const [key, value] of Object.entries(given ?? {}))
      if (value !== undefined) query.set(key, String(value));
  }
  const body = isQuery ? {} : payloadOf(given);
  return app.inject({
    method: method as 'GET',
    url: query.size === 0 ? pathname : `${pathname}?${query}`,
    headers: { ...own, ...('payload' in body && { 'content-type': 'application/json' }), ...headers },
    ...body,
  });
}

function contentOf(name: Name, answer: Answer): unknown {
  assert.ok(answer.statusCode < 300, `${name}: ${answer.statusCode} ${answer.body}`);
  if (answer.body === '') return null;
  return /\bjson\b/.test(String(answer.headers['content-type'])) ? answer.json() : answer.body;
}

async function readAll(app: App, own: Headers, name: Name, args: readonly unknown[]): Promise<unknown[]> {
  const inPath = args.filter((one) => typeof one === 'string');
  const query = args[inPath.length] as object | undefined;
  const items: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const answer = await send(app, own, name, [...inPath, { limit: 200, ...query, cursor }]);
    const page = contentOf(name, answer) as { items: unknown[]; nextCursor: string | null };
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
  return {
    headers,
    api: each(
      (name) =>
        async (...args) =>
          contentOf(name, await send(app, headers, name, args)),
    ) as Api,
    ask: each(
      (name) =>
        (...args) =>
          send(app, headers, name, args),
    ) as Ask,
    all: each(
      (name) =>
        (...args) =>
          readAll(app, headers, name, args),
    ) as All,
    with: (further) => callerOf(app, { ...headers, ...further }),
  };
}
