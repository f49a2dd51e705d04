import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  FastifyInstance,
  FastifyRequest,
  preParsingAsyncHookHandler,
  preValidationAsyncHookHandler,
} from 'fastify';
import fp from 'fastify-plugin';
import { DEFAULT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { freeMemory } from '../../shared/resources/free-memory.ts';
import { Body } from '../../shared/schemas/common.ts';
import { acceptedLength } from '../bodies/declared-length.ts';
import { readBody } from '../bodies/read-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether each step over the body takes long enough to give others a turn in between. */
    hasLargeBody: boolean;
  }
}

function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'must not hold a NUL character';
  return text.isWellFormed() ? null : 'must not hold a lone surrogate';
}

function assertText(text: string, path: string): void {
  const fault = textFault(text);
  if (fault !== null) throw invalidField(path, fault);
}

/**
 * How many numbers a list begins with: all of a vector's. Apart from the lists of other things, and the first by `at`:
 * code that indexes both kinds is compiled to make an object of each number first, which took half as long as parsing them.
 */
function leadingNumbers(list: readonly unknown[]): number {
  return typeof list.at(0) === 'number' ? countNumbers(list) : 0;
}

function countNumbers(list: readonly unknown[]): number {
  let count = 1;
  while (count < list.length && typeof list[count] === 'number') count += 1;
  return count;
}

/** The JSON pointer of these keys. */
function pointer(keys: readonly (string | number)[]): string {
  return `/${keys.join('/')}`;
}

/**
 * Refuses what PostgreSQL cannot store, wherever it is in a body: NUL and lone surrogates. Refuses keys that name a
 * prototype too. How deep and how much there is to visit was bounded before the body was parsed.
 * @param keys of the place in the body
 * @throws ServiceError `invalid_request` naming the place
 */
export function assertStorable(value: unknown, keys: (string | number)[] = []): void {
  if (typeof value === 'string') {
    const fault = textFault(value);
    if (fault !== null) throw invalidField(pointer(keys), fault);
  } else if (Array.isArray(value)) {
    // By index: the keys of a vector's thousand numbers would be texts, each made to be thrown away.
    for (let index = leadingNumbers(value); index < value.length; index += 1) {
      const child: unknown = value[index];
      if (typeof child !== 'number') assertStorableChild(child, index, keys);
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const key in members) {
      const child = members[key];
      const fault = textFault(key);
      if (fault !== null) throw invalidField(pointer([...keys, key]), fault);
      if (namesPrototype(key, child)) {
        throw invalidField('/__proto__', 'is not a known field, nor is constructor.prototype');
      }
      assertStorableChild(child, key, keys);
    }
  }
}

function assertStorableChild(child: unknown, key: string | number, keys: (string | number)[]): void {
  keys.push(key);
  assertStorable(child, keys);
  keys.pop();
}

/** Whether a member changes the prototype of an object that it is copied to. */
function namesPrototype(key: string, child: unknown): boolean {
  if (key === '__proto__') return true;
  return (
    key === 'constructor' && typeof child === 'object' && child !== null && Object.hasOwn(child, 'prototype')
  );
}

/** Ids in the path are left to their routes: a malformed one is not found, like any other unknown one. */
const assertStorableRequest: preValidationAsyncHookHandler = async (request) => {
  await letOthersRun(request);
  assertStorable(request.body);
  await letOthersRun(request);
  try {
    // The parser does not fail on bytes that are not UTF-8: it leaves them percent-encoded.
    decodeURIComponent(request.url.split('?').slice(1).join('?'));
  } catch {
    throw new ServiceError('invalid_request', 'The query string is not percent-encoded UTF-8');
  }
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    for (const text of [value].flat()) if (typeof text === 'string') assertText(text, `/${name}`);
  }
};

/** Reads a body as text. */
async function readText(request: FastifyRequest, stream: IncomingMessage): Promise<string> {
  const bytes = await readBody(request, stream);
  request.hasLargeBody = bytes.length > DEFAULT_BODY_LIMIT;
  // Decoding puts a replacement character in the place of every fault, and no one would hear of it.
  if (!isUtf8(bytes)) throw new ServiceError('invalid_request', 'The body is not UTF-8');
  const text = bytes.toString('utf8');
  // A small one may share its buffer with others.
  if (request.hasLargeBody) freeMemory(bytes);
  return text;
}

/** A body as JSON; undefined for an empty one. */
async function parseBody(request: FastifyRequest, stream: IncomingMessage): Promise<unknown> {
  // The body of an unknown route is nobody's: 404 comes before whatever is wrong with it.
  if (request.is404) return undefined;
  const text = await readText(request, stream);
  if (text === '') return undefined;
  await letOthersRun(request);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServiceError('invalid_request', 'The body is not valid JSON');
  }
}

/**
 * Gives the event loop a turn between two steps over a large body. Each step of the largest takes up to 150 ms; in one
 * go they would keep every other request waiting for their sum.
 */
export async function letOthersRun(request: FastifyRequest): Promise<void> {
  if (request.hasLargeBody) await nextTurn();
}

/** Refuses a body that its length says is too large, whatever its type is. Then asks for it, if its sender waits. */
const expectBody: preParsingAsyncHookHandler = async (request, reply) => {
  const length = acceptedLength(request);
  if (request.headers.expect !== undefined && length !== 0) reply.raw.writeContinue();
};

/** Reads JSON bodies, an empty one as none, and refuses text that cannot be stored before any schema sees it. */
export default fp(function input(app: FastifyInstance, _options: object, done: () => void) {
  app.decorateRequest('hasLargeBody', false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', parseBody);
  app.addHook('onRoute', (route) => {
    // A route without a body takes none or {}: anything in it is an unknown field.
    const takesBody = [route.method]
      .flat()
      .some((method) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method));
    if (takesBody && route.schema !== undefined) route.schema.body ??= Body({});
    if (takesBody) route.preParsing = [...[route.preParsing ?? []].flat(), expectBody];
    // After the route's own look at the raw body: what refuses first there comes before every fault of text.
    route.preValidation = [...[route.preValidation ?? []].flat(), assertStorableRequest];
    if ((route.bodyLimit ?? 0) > DEFAULT_BODY_LIMIT) {
      route.preHandler = [...[route.preHandler ?? []].flat(), letOthersRun];
    }
  });
  app.addHook('preValidation', async (request) => {
    // None counts as {}, so that whether one is needed is for the schema to say.
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
  });
  done();
});
