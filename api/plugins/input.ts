import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { Body } from '../../shared/schemas/common.ts';

/** Nesting beyond this has no use here, and would overflow the stack of whoever walks it recursively. */
const MAX_DEPTH = 32;

function assertText(text: string, path: string): void {
  if (text.includes('\u0000')) throw invalidField(path, 'must not hold a NUL character');
  if (!text.isWellFormed()) throw invalidField(path, 'must not hold a lone surrogate');
}

/**
 * Refuses what PostgreSQL cannot store, wherever it stands in a body: NUL, lone surrogates, bottomless nesting.
 * Walks with a list of its own, not by recursion.
 * @throws ServiceError `invalid_request` naming the first place
 */
export function assertStorable(body: unknown): void {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: body, path: '', depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') {
      assertText(value, path || '/');
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH)
        throw new ServiceError('invalid_request', `The body is nested deeper than ${MAX_DEPTH}`);
      // A vector is a thousand numbers: nothing in it can be at fault here.
      if (Array.isArray(value) && typeof value[0] === 'number' && value.every((n) => typeof n === 'number'))
        continue;
      for (const [key, child] of Object.entries(value)) {
        assertText(key, path || '/');
        open.push({ value: child, path: `${path}/${key}`, depth: depth + 1 });
      }
    }
  }
}

/** Reads JSON bodies, an empty one as none, and refuses text that cannot be stored before any schema sees it. */
export default fp(function input(app: FastifyInstance, _options: object, done: () => void) {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, parsed) => {
    if (body === '') return parsed(null, undefined);
    void parseJson(request, body as string, (error, value) => {
      if (error !== null)
        parsed(new ServiceError('invalid_request', 'The body is not valid JSON'), undefined);
      else parsed(null, value);
    });
  });
  app.addHook('onRoute', (route) => {
    // A route without a body takes none or {}: anything in it is an unknown field.
    const takesBody = [route.method]
      .flat()
      .some((method) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method));
    if (takesBody && route.schema !== undefined) route.schema.body ??= Body({});
  });
  app.addHook('preValidation', async (request) => {
    // None counts as {}, so that whether one is needed is for the schema to say.
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
    assertStorable(request.body);
    for (const part of [request.query, request.params]) {
      for (const [name, value] of Object.entries(part as Record<string, unknown>)) {
        for (const text of [value].flat()) if (typeof text === 'string') assertText(text, `/${name}`);
      }
    }
  });
  done();
});
