import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import Fastify from 'fastify';
import errors, { answerHeaders } from '../../api/http/errors.ts';
import { compressAnswer } from '../../api/http/pages.ts';
import { serveClientPackage } from '../../api/routes/pages.ts';

/** An app with only these routes, and the hooks of the service that change answers. */
async function appWith(file: Parameters<typeof serveClientPackage>[1]) {
  const app = Fastify();
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(answerHeaders(request.url, request.id));
  });
  app.addHook('onSend', compressAnswer);
  await app.register(errors);
  await app.register(async (scope) => serveClientPackage(scope, file));
  after(() => app.close());
  return app;
}

const bytes = randomBytes(5000);
const sha256 = createHash('sha256').update(bytes).digest('hex');
const built = await appWith({ bytes, sha256 });
const missing = await appWith(null);

describe('the package of the terminal client', () => {
  test('is sent byte for byte, also to a program that accepts compression', async () => {
    const answer = await built.inject({ url: '/cli.tgz', headers: { 'accept-encoding': 'gzip, br' } });
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(answer.rawPayload, bytes);
    assert.equal(answer.headers['content-type'], 'application/gzip');
    assert.equal(answer.headers['content-length'], '5000');
    assert.equal(answer.headers['content-encoding'], undefined);
  });

  test('is described by HEAD without its bytes', async () => {
    const { headers } = await built.inject('/cli.tgz');
    const answer = await built.inject({ method: 'HEAD', url: '/cli.tgz' });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.body, '');
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
      assert.equal(answer.headers[name], headers[name], name);
  });

  test('is not sent again to a program that has it', async () => {
    const { headers } = await built.inject('/cli.tgz');
    assert.equal(headers['cache-control'], 'no-cache', 'a cache asks each time');
    const known = { 'if-none-match': String(headers['etag']) };
    const unchanged = await built.inject({ url: '/cli.tgz', headers: known });
    assert.deepEqual([unchanged.statusCode, unchanged.body], [304, '']);
    const changed = await built.inject({ url: '/cli.tgz', headers: { 'if-none-match': '"other"' } });
    assert.equal(changed.statusCode, 200);
  });

  test('has its SHA-256 beside it, in the form that sha256sum checks', async () => {
    const answer = await built.inject('/cli.tgz.sha256');
    assert.equal(answer.body, `${sha256}  cli.tgz\n`);
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  });

  for (const url of ['/cli.tgz', '/cli.tgz.sha256'])
    test(`is 404 at ${url} where it was not built, with the command that builds it`, async () => {
      const answer = await missing.inject(url);
      assert.equal(answer.statusCode, 404);
      assert.equal(answer.headers['content-type'], 'application/problem+json');
      assert.match(answer.json<{ detail: string }>().detail, /npm run build/);
      const head = await missing.inject({ method: 'HEAD', url });
      assert.deepEqual([head.statusCode, head.body], [404, '']);
    });
});
