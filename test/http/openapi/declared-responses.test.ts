import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import {
  declareErrors,
  declareErrorsWithin,
  declareOwnErrors,
  refusing,
} from '../../../api/http/openapi/declared-errors.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { undeclared } from '../../support/declared-responses.ts';

/** What is recorded of the app of a test. Removed, so that only this test knows of it. */
function recordedOf(path: string): string[] {
  const found = [...undeclared].filter((line) => line.includes(path));
  for (const line of found) undeclared.delete(line);
  return found;
}

/** An app that answers errors as problems. */
function openApp() {
  const app = Fastify();
  app.addHook('onRoute', declareOwnErrors);
  app.setErrorHandler((error, _request, reply) => {
    const { status, code } = error as ServiceError;
    return reply.code(status).type('application/problem+json').send(JSON.stringify({ code }));
  });
  return app;
}

const schema = { response: { 200: { type: 'object' } } };
const refuse = async () => {
  throw new ServiceError('conflict');
};

describe('the record of undeclared responses', () => {
  test('has a code that the route does not declare, with what to do', async () => {
    const app = openApp();
    app.get('/refusing-route', { schema }, refuse);
    await app.inject('/refusing-route');
    assert.deepEqual(recordedOf('/refusing-route'), [
      "GET /refusing-route returned 409 conflict: add 'conflict' to `errors` of its schema, or to the guard that refuses",
    ]);
  });

  test('has nothing of codes that the schema, a guard, or the context of the route declares', async () => {
    const app = openApp();
    app.get('/by-schema', { schema: { ...schema, errors: ['conflict'] } }, refuse);
    app.get('/by-guard', { schema, onRequest: refusing(['conflict'], refuse) }, async () => ({}));
    await app.register(async (context) => {
      declareErrorsWithin(context, ['conflict']);
      context.get('/by-context', { schema }, refuse);
    });
    app.addHook('onRoute', (route) => declareErrors(route, ['conflict']));
    app.get('/by-hook', { schema }, refuse);
    for (const path of ['/by-schema', '/by-guard', '/by-context', '/by-hook']) {
      assert.equal((await app.inject(path)).statusCode, 409);
      assert.deepEqual(recordedOf(path), []);
    }
  });
});
