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
import { shownPointer } from '../../shared/secrets/shown-text.ts';
import { acceptedLength, isChunked } from '../bodies/declared-length.ts';
import { readBody } from '../bodies/read-body.ts';
import { declareErrors } from '../openapi/declared-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether a step over the body takes so long that other requests should run between two steps. */
    hasLargeBody: boolean;
  }
  interface FastifyContextConfig {
    /** Whether `path` of the query and of each of `files` is a workspace path, whose text the route checks with its own error. */
    hasWorkspacePaths?: true;
  }
}

type Keys = readonly (string | number)[];

/** Whether these keys name the workspace path of a file. */
function isWorkspacePath([list, index, field, ...more]: Keys): boolean {
  return list === 'files' && typeof index === 'number' && field === 'path' && more.length === 0;
}

function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'must not contain a NUL character';
  return text.isWellFormed() ? null : 'must not contain a lone surrogate';
}

function assertText(text: string, path: string): void {
  const fault = textFault(text);
  if (fault !== null) throw invalidField(path, fault);
}

/**
 * How many numbers a list begins with; for a vector, all. A separate function, and `at` for the first element,
 * because V8 compiles code that indexes both kinds of lists to allocate an object for each number. That took half as
 * long as parsing them.
 */
function countLeadingNumbers(list: readonly unknown[]): number {
  return typeof list.at(0) === 'number' ? countNumbers(list) : 0;
}

function countNumbers(list: readonly unknown[]): number {
  let count = 1;
  while (count < list.length && typeof list[count] === 'number') count += 1;
  return count;
}

/**
 * Refuses text that PostgreSQL cannot store, anywhere in a body: NUL and lone surrogates. Also refuses keys that name a
 * prototype. The depth and size of the value were limited before it was parsed.
 * @param isChecked whether the route checks the text at these keys
 * @param keys the path of `value` in the body
 * @throws ServiceError `invalid_request` that names the path
 */
function assertStorable(
  value: unknown,
  isChecked: (keys: Keys) => boolean,
  keys: (string | number)[] = [],
): void {
  if (typeof value === 'string') {
    const fault = textFault(value);
    if (fault !== null && !isChecked(keys)) throw invalidField(shownPointer(keys), fault);
  } else if (Array.isArray(value)) {
    // By index, because `for in` would create a string for each of a vector's thousand numbers.
    for (let index = countLeadingNumbers(value); index < value.length; index += 1) {
      const child: unknown = value[index];
      if (typeof child !== 'number') assertStorableChild(child, index, isChecked, keys);
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const key in members) {
      const child = members[key];
      const fault = textFault(key);
      if (fault !== null) throw invalidField(shownPointer([...keys, key]), fault);
      if (namesPrototype(key, child)) {
        throw invalidField('/__proto__', 'is not a known field; neither is constructor.prototype');
      }
      assertStorableChild(child, key, isChecked, keys);
    }
  }
}

function assertStorableChild(
  child: unknown,
  key: string | number,
  isChecked: (keys: Keys) => boolean,
  keys: (string | number)[],
): void {
  keys.push(key);
  assertStorable(child, isChecked, keys);
  keys.pop();
}

/** Whether copying a member to an object would change the prototype of that object. */
function namesPrototype(key: string, child: unknown): boolean {
  if (key === '__proto__') return true;
  return (
    key === 'constructor' && typeof child === 'object' && child !== null && Object.hasOwn(child, 'prototype')
  );
}

/** Checks body and query string. Ids in the path are not checked here: a malformed id is 404, like an unknown one. */
const assertStorableRequest: preValidationAsyncHookHandler = async (request) => {
  const { hasWorkspacePaths = false } = request.routeOptions.config;
  await yieldAfterLargeBody(request);
  assertStorable(request.body, (keys) => hasWorkspacePaths && isWorkspacePath(keys));
  await yieldAfterLargeBody(request);
  try {
    // Fastify's parser does not fail on bytes that are not UTF-8, and leaves them percent-encoded.
    decodeURIComponent(request.url.split('?').slice(1).join('?'));
  } catch {
    throw new ServiceError('invalid_request', 'The query string is not percent-encoded UTF-8');
  }
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    if (hasWorkspacePaths && name === 'path') continue;
    for (const text of [value].flat()) if (typeof text === 'string') assertText(text, shownPointer([name]));
  }
};

/** Reads a body as text. */
async function readText(request: FastifyRequest, stream: IncomingMessage): Promise<string> {
  const bytes = await readBody(request, stream);
  request.hasLargeBody = bytes.length > DEFAULT_BODY_LIMIT;
  // Decoding would silently replace invalid bytes by replacement characters.
  if (!isUtf8(bytes)) throw new ServiceError('invalid_request', 'The body is not UTF-8');
  const text = bytes.toString('utf8');
  // A small Buffer can share its memory with others, so only a large one is freed.
  if (request.hasLargeBody) freeMemory(bytes);
  return text;
}

/** Parses a JSON body; undefined for an empty body. */
async function parseBody(request: FastifyRequest, stream: IncomingMessage): Promise<unknown> {
  // The body of an unknown route is not read: 404 takes precedence over any fault of the body.
  if (request.is404) return undefined;
  const text = await readText(request, stream);
  if (text === '') return undefined;
  await yieldAfterLargeBody(request);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServiceError('invalid_request', 'The body is not valid JSON');
  }
}

/**
 * Lets the event loop turn between two steps over a large body. Each step blocks it for at most 150 ms, with the largest body.
 * Without it, every other request would wait for all steps together.
 */
export async function yieldAfterLargeBody(request: FastifyRequest): Promise<void> {
  if (request.hasLargeBody) await nextTurn();
}

/**
 * Refuses a body whose declared length is too large, whatever its type. Then sends 100 Continue, if the sender waits.
 */
const sendContinue: preParsingAsyncHookHandler = async (request, reply) => {
  const length = acceptedLength(request);
  if (request.headers.expect !== undefined && length !== 0) reply.raw.writeContinue();
};

/** Forgets the type of an empty body, which Fastify would refuse if it is not JSON. An empty body counts as none. */
const ignoreTypeOfEmptyBody: preParsingAsyncHookHandler = async (request) => {
  const isEmpty = !isChunked(request) && (request.headers['content-length'] ?? '0') === '0';
  if (isEmpty && request.mediaType !== 'application/json') delete request.raw.headers['content-type'];
};

/**
 * Parses JSON bodies, and refuses text that cannot be stored before the schema is checked.
 */
export default fp(function input(app: FastifyInstance, _options: object, done: () => void) {
  app.decorateRequest('hasLargeBody', false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', parseBody);
  app.addHook('onRoute', (route) => {
    // A route without a body schema accepts no body or {}. Any field is refused as unknown.
    const acceptsBody = [route.method]
      .flat()
      .some((method) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method));
    if (acceptsBody && route.schema !== undefined) route.schema.body ??= Body({});
    if (acceptsBody) {
      declareErrors(route, ['payload_too_large', 'unsupported_media_type']);
      route.preParsing = [...[route.preParsing ?? []].flat(), sendContinue, ignoreTypeOfEmptyBody];
    }
    // After the route's own hooks, so that their errors take precedence over faults of the text.
    route.preValidation = [...[route.preValidation ?? []].flat(), assertStorableRequest];
    if ((route.bodyLimit ?? 0) > DEFAULT_BODY_LIMIT) {
      route.preHandler = [...[route.preHandler ?? []].flat(), yieldAfterLargeBody];
    }
  });
  app.addHook('preValidation', async (request) => {
    // No body counts as {}, so that the schema decides whether a body is required.
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
  });
  done();
});
