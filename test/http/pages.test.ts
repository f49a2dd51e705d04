import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { readBuiltConsole, sendDocument } from '../../api/http/pages.ts';
import { ADDRESSES } from '../../api/routes/pages.ts';
import { openTestApp } from '../support/app.ts';
import { sendMessage } from '../support/mcp.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';

const service = await openTestApp();
const { app } = service;
const ASSETS = [...(readBuiltConsole()?.assets.keys() ?? [])].map((name) => `/assets/${name}`);
const SCRIPT = ASSETS.find((path) => /\/index-[\w-]+\.js$/.test(path))!;
/** What Firefox sends when a person opens an address. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('the pages', () => {
  test('every address of the console responds with the same public document', async () => {
    const { body: document, statusCode, headers } = await app.inject('/');
    assert.equal(statusCode, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(document, /<script type="module" crossorigin src="assets\/index-/);
    for (const address of ADDRESSES.filter((path) => !path.includes(':'))) {
      for (const url of [address, `${address}?team=x`])
        assert.deepEqual(
          await app.inject(url).then((got) => [got.statusCode, got.body]),
          [200, document],
          url,
        );
    }
    // The document of a record is one folder below the others, and names its files from there.
    for (const address of ADDRESSES.filter((path) => path.includes(':')))
      assert.equal((await app.inject(address)).body, document.replaceAll('"assets/', '"../assets/'), address);
    const head = await app.inject({ method: 'HEAD', url: '/' });
    assert.deepEqual([head.statusCode, head.body], [200, '']);
  });

  test('the document and its files have strict headers, set no cookie and have nothing inline', async () => {
    assert.ok(ASSETS.length > 50);
    for (const path of ['/', '/join', '/nowhere', ...ASSETS]) {
      const { headers, body } = await app.inject({ url: path, headers: BROWSER });
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; " +
          "img-src 'self' blob: data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; " +
          "require-trusted-types-for 'script'; trusted-types console-worker",
        path,
      );
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['set-cookie'], undefined);
      // The name of an asset changes with its content. A document can be another one at any time.
      assert.equal(
        headers['cache-control'],
        path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store',
      );
      if (!path.startsWith('/assets/'))
        assert.doesNotMatch(body, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
    }
  });

  test('a console that was not built says in one line what to run', async () => {
    const bare = fastify().get('/', (_request, reply) => sendDocument(reply, '/', null));
    const { statusCode, headers, body } = await bare.inject('/');
    assert.deepEqual([statusCode, headers['content-type']], [503, 'text/plain; charset=utf-8']);
    assert.match(body, /^[^\n]*npm run build[^\n]*\n$/);
  });

  test('an address without a page is 404, so that no page is promised', async () => {
    for (const address of ['/somewhere', '/jobs/', '/jobs/1', '/assets', '/assets/index.html', '/next']) {
      assert.equal((await app.inject(address)).statusCode, 404, address);
    }
  });

  test('an unknown address is a page of the console with 404 for a browser, however deep it is', async () => {
    const { body: document, headers: known } = await app.inject('/');
    for (const [url, up] of [
      ['/somewhere', ''],
      ['/jobs/', '../'],
      ['//somewhere/', '../../'],
      ['/v1x', ''],
      ['/docs/static/none.html', '../../'],
      ['/assets/none/none.html', '../../'],
      ['/%zz', ''],
      ['/%2Fsomewhere', ''],
    ] as const) {
      const { statusCode, headers, body } = await app.inject({ url, headers: BROWSER });
      assert.deepEqual([statusCode, headers['content-type']], [404, known['content-type']], url);
      assert.equal(body, document.replaceAll('"assets/', `"${up}assets/`), url);
      assert.match(String(headers['vary']), /\bAccept\b(?!-)/, url);
      for (const name of [
        'content-security-policy',
        'referrer-policy',
        'cache-control',
        'x-content-type-options',
      ])
        assert.equal(headers[name], known[name], `${url}: ${name}`);
    }
    const head = await app.inject({ method: 'HEAD', url: '/somewhere', headers: BROWSER });
    assert.deepEqual(
      [head.statusCode, head.headers['content-type'], head.body],
      [404, known['content-type'], ''],
    );
  });

  test('an unknown address is a problem for programs, for scripts, for other methods and under /v1', async () => {
    const asked = (accept: string | undefined, url = '/somewhere', method: 'GET' | 'POST' = 'GET') =>
      app.inject({ method, url, headers: accept === undefined ? {} : { accept } });
    for (const accept of [
      undefined,
      '*/*',
      'application/json',
      'application/json, text/html',
      'application/problem+json, text/html;q=0.9, */*;q=0.8',
      'text/html;q=0.5, */*;q=0.8',
      'text/html;q=0',
      'image/avif,image/webp,*/*;q=0.8',
      ';,=',
    ]) {
      const answer = await asked(accept);
      assert.equal(outcome(answer), '404 not_found', accept);
      assert.equal(answer.headers['vary'], 'Accept', accept);
    }
    // What browsers send for a script, a style and a picture.
    for (const accept of ['*/*', 'text/css,*/*;q=0.1', 'image/avif,image/webp,image/png,*/*;q=0.8'])
      assert.equal(outcome(await asked(accept, '/assets/none.js')), '404 not_found', accept);
    for (const url of ['/v1', '/v1/', '/v1/nothing', '/v1/memory/nothing', '/%761/nothing', '/v1/%zz'])
      assert.equal(outcome(await asked(BROWSER.accept, url)), '404 not_found', url);
    assert.equal(outcome(await asked(BROWSER.accept, '/somewhere', 'POST')), '404 not_found');
    assert.equal(outcome(await asked(BROWSER.accept, '/jobs', 'POST')), '405 method_not_allowed');
    for (const accept of ['text/html', 'text/html, application/json;q=0.9', 'text/html, */*'])
      assert.equal((await asked(accept)).headers['content-type'], 'text/html; charset=utf-8', accept);
  });

  test('scripts above 1 kB are compressed as the browser accepts', async () => {
    const get = (accepted?: string) =>
      app.inject({ url: SCRIPT, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } });
    const plain = await get();
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers['vary'], 'Accept-Encoding');
    for (const [accepted, encoding, decompress] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
      ['GZIP', 'gzip', gunzipSync],
    ] as const) {
      const answer = await get(accepted);
      assert.equal(answer.headers['content-encoding'], encoding, accepted);
      assert.equal(String(decompress(answer.rawPayload)), plain.body);
      assert.equal(answer.headers['content-length'], String(answer.rawPayload.length));
      assert.ok(answer.rawPayload.length < plain.rawPayload.length / 2);
    }
    for (const accepted of ['identity', 'gzip;q=0', 'zstd', ';;,=']) {
      const answer = await get(accepted);
      assert.equal(answer.headers['content-encoding'], undefined, accepted);
      assert.equal(answer.body, plain.body);
    }
  });

  test('an answer counts as long by its bytes, and one of the protocol for agents is compressed too', async () => {
    const owner = await service.company();
    const headers = { ...owner.headers, 'accept-encoding': 'gzip' };
    await addSource(owner, { title: '会'.repeat(280) });
    const inBytes = await app.inject({ url: '/v1/memory/sources?limit=1', headers });
    const text = String(gunzipSync(inBytes.rawPayload));
    assert.ok(text.length < 1000 && Buffer.byteLength(text) > 1000, String(text.length));
    const tools = await sendMessage(owner, 'tools/list', {}, { 'accept-encoding': 'gzip' });
    assert.match(String(gunzipSync(tools.rawPayload)), /"tools":/);
    for (const answer of [inBytes, tools]) {
      assert.equal(answer.headers['content-encoding'], 'gzip');
      assert.equal(answer.headers['content-length'], String(answer.rawPayload.length));
      assert.match(String(answer.headers['content-type']), /^application\/json/);
    }
  });

  test('the scripts and styles of /docs are compressed, once and as whole files', async () => {
    const styles = '/docs/static/swagger-ui.css';
    const plain = await app.inject(styles);
    const get = (method: 'GET' | 'HEAD', headers: Record<string, string> = {}, url = styles) =>
      app.inject({ method, url, headers: { 'accept-encoding': 'br', ...headers } });
    for (const method of ['GET', 'HEAD', 'GET'] as const) {
      const answer = await get(method);
      const { headers, rawPayload } = answer;
      assert.deepEqual(
        [answer.statusCode, headers['content-encoding'], headers['vary']],
        [200, 'br', 'Accept-Encoding'],
      );
      assert.equal(headers['content-type'], plain.headers['content-type']);
      assert.ok(Number(headers['content-length']) < plain.rawPayload.length / 5);
      if (method === 'HEAD') continue;
      assert.equal(headers['content-length'], String(rawPayload.length));
      assert.ok(brotliDecompressSync(rawPayload).equals(plain.rawPayload));
    }
    assert.equal(
      (await get('GET', {}, '/docs/static/swagger-ui-bundle.js')).headers['content-encoding'],
      'br',
    );
    const part = await get('GET', { range: 'bytes=0-9' });
    assert.deepEqual([part.statusCode, part.rawPayload], [206, plain.rawPayload.subarray(0, 10)]);
    const known = await get('GET', { 'if-none-match': String(plain.headers['etag']) });
    assert.deepEqual([known.statusCode, known.body], [304, '']);
    const picture = await get('GET', {}, '/docs/static/favicon-32x32.png');
    assert.equal(picture.headers['content-encoding'], undefined);
  });
});
