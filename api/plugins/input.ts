import { isUtf8 } from 'node:buffer';
import type { FastifyBodyParser, FastifyInstance, preValidationAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { Body } from '../../shared/schemas/common.ts';

/** Nesting beyond this has no use here, and would overflow the stack of whoever walks it recursively. */
const MAX_DEPTH = 32;

function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'must not hold a NUL character';
  return text.isWellFormed() ? null : 'must not hold a lone surrogate';
}

function assertText(text: string, path: string): void {
  const fault = textFault(text);
  if (fault !== null) throw invalidField(path, fault);
}

/** An object or array on the way, and how it was reached: paths are made of these only when one is to be named. */
interface Container {
  value: object;
  depth: number;
  parent: Container | null;
  key: string;
}

function pathOf(container: Container | null, key: string): string {
  if (container === null) return key;
  return `${pathOf(container.parent, container.key)}/${key}`;
}

/**
 * Refuses what PostgreSQL cannot store, wherever it stands in a body: NUL, lone surrogates, bottomless nesting.
 * Walks with a list of its own, not by recursion, and keeps nothing of numbers and texts: a body may hold
 * millions, and this runs before any schema has seen it.
 * @throws ServiceError `invalid_request` naming a place
 */
export function assertStorable(body: unknown): void {
  if (typeof body === 'string') assertText(body, '/');
  if (typeof body !== 'object' || body === null) return;
  const open: Container[] = [{ value: body, depth: 1, parent: null, key: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) visit(next, open);
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

function visit(container: Container, open: Container[]): void {
  const { value } = container;
  if (Array.isArray(value)) {
    // By index: the keys of a vector's thousand numbers would be texts, each made to be thrown away.
    for (let index = leadingNumbers(value); index < value.length; index += 1) {
      const child: unknown = value[index];
      if (typeof child !== 'number') look(container, String(index), child, open);
    }
    return;
  }
  const children = value as Record<string, unknown>;
  for (const key in children) {
    const fault = textFault(key);
    if (fault !== null) throw invalidField(pathOf(container, key), fault);
    look(container, key, children[key], open);
  }
}

function look(container: Container, key: string, child: unknown, open: Container[]): void {
  const fault = typeof child === 'string' ? textFault(child) : null;
  if (fault !== null) throw invalidField(pathOf(container, key), fault);
  if (typeof child !== 'object' || child === null) return;
  if (container.depth >= MAX_DEPTH) {
    throw new ServiceError('invalid_request', `The body is nested deeper than ${MAX_DEPTH}`);
  }
  open.push({ value: child, depth: container.depth + 1, parent: container, key });
}

/** Ids in the path are left to their routes: a malformed one is not found, like any other unknown one. */
const assertStorableRequest: preValidationAsyncHookHandler = async (request) => {
  assertStorable(request.body);
  try {
    // The parser leaves bytes that are no UTF-8 as they stand, percent signs and all.
    decodeURIComponent(request.url.split('?').slice(1).join('?'));
  } catch {
    throw new ServiceError('invalid_request', 'The query string is not percent-encoded UTF-8');
  }
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    for (const text of [value].flat()) if (typeof text === 'string') assertText(text, `/${name}`);
  }
};

/** Why the parser refused a text: it is no JSON, or names a prototype, and then wherever that stands. */
function jsonFault(text: string): ServiceError {
  try {
    JSON.parse(text);
  } catch {
    return new ServiceError('invalid_request', 'The body is not valid JSON');
  }
  return invalidField('/__proto__', 'is not a known field, nor is constructor.prototype');
}

/**
 * Whether a body may hold a key that names a prototype. Any other is parsed without looking for those keys, which took
 * a third as long again. A key is written as it reads, or with escapes, and those of its characters all begin with \u00.
 */
function mayNamePrototype(bytes: Buffer): boolean {
  return ['__proto__', 'constructor', '\\u00'].some((sign) => bytes.includes(sign));
}

const parsePlainJson: FastifyBodyParser<string> = (_request, text, parsed) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return parsed(error as Error);
  }
  parsed(null, value);
};

/** Reads JSON bodies, an empty one as none, and refuses text that cannot be stored before any schema sees it. */
export default fp(function input(app: FastifyInstance, _options: object, done: () => void) {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, parsed) => {
    if (bytes.length === 0) return parsed(null, undefined);
    // Decoding puts a replacement character in the place of every fault, and no one would hear of it.
    if (!isUtf8(bytes))
      return parsed(new ServiceError('invalid_request', 'The body is not UTF-8'), undefined);
    const text = bytes.toString('utf8');
    const parse = mayNamePrototype(bytes) ? parseJson : parsePlainJson;
    void parse(request, text, (error, value) => {
      if (error === null) parsed(null, value);
      else parsed(jsonFault(text), undefined);
    });
  });
  app.addHook('onRoute', (route) => {
    // A route without a body takes none or {}: anything in it is an unknown field.
    const takesBody = [route.method]
      .flat()
      .some((method) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method));
    if (takesBody && route.schema !== undefined) route.schema.body ??= Body({});
    // After the route's own look at the raw body: what refuses first there comes before every fault of text.
    route.preValidation = [...[route.preValidation ?? []].flat(), assertStorableRequest];
  });
  app.addHook('preValidation', async (request) => {
    // None counts as {}, so that whether one is needed is for the schema to say.
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
  });
  done();
});
