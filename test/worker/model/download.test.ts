import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ensureModelFiles } from '../../../worker/embedder/model-files.ts';
import {
  always,
  assertNoParts,
  assertRefused,
  assertWhole,
  breakHalfWay,
  firstTime,
  HALF,
  NAME,
  ONNX,
  ONNX_BYTES,
  onnxDownloads,
  openFetchScenes,
} from './model-fetching.ts';
import { breakOff, cdnEtag, sendContent } from './model-hub.ts';

const scene = await openFetchScenes();

describe('an interrupted download', () => {
  it('resumes where it stopped', async () => {
    const the = await scene(firstTime(breakHalfWay));
    await the.fetch();
    await assertWhole(the);
    const [first, second, ...more] = onnxDownloads(the.hub);
    assert.deepEqual([first?.range, more.length], [undefined, 0]);
    // What had come on the wire before the connection was gone.
    const from = Number(/^bytes=(\d+)-$/.exec(second?.range ?? '')?.[1]);
    assert.ok(from > 0 && from <= HALF, second?.range);
    assert.equal(second?.ifRange, cdnEtag(ONNX));
  });

  it('resumes after every piece, however many there are', async () => {
    const pieces = 8;
    const the = await scene(
      always(({ file, range }, response, content) => {
        const from = Number(/\d+/.exec(range ?? '0')?.[0]);
        const rest = content.subarray(from);
        const head = {
          etag: cdnEtag(file),
          'content-range': `bytes ${from}-${content.length - 1}/${content.length}`,
        };
        response.writeHead(range ? 206 : 200, { 'content-length': rest.length, ...head });
        const piece = rest.subarray(0, ONNX_BYTES / pieces);
        response.write(piece, () => (piece.length === rest.length ? response.end() : response.destroy()));
        return true;
      }),
    );
    await the.fetch();
    await assertWhole(the);
    assert.ok(onnxDownloads(the.hub).length >= pieces);
  });

  it('starts over if the hub ignores the range', async () => {
    let asked = 0;
    const the = await scene(
      always((request, response, content) => {
        asked += 1;
        if (asked === 1) return breakHalfWay(request, response, content);
        response.writeHead(200, { 'content-length': content.length }).end(content);
        return true;
      }),
    );
    await the.fetch();
    await assertWhole(the);
    assert.ok(onnxDownloads(the.hub)[1]?.range);
  });

  for (const [status, what] of [
    [416, 'has no such range'],
    [206, 'sends another range'],
  ] as const) {
    it(`starts over if the hub ${what}`, async () => {
      let asked = 0;
      const the = await scene(
        always((request, response, content) => {
          asked += 1;
          if (asked === 1) return breakHalfWay(request, response, content);
          if (asked > 2) return false;
          response.writeHead(status, { 'content-range': 'bytes 0-9/600000' }).end();
          return true;
        }),
      );
      await the.fetch();
      await assertWhole(the);
      assert.deepEqual(
        onnxDownloads(the.hub).map(({ range }) => range !== undefined),
        [false, true, false],
      );
    });
  }

  it('returns the new version if the file changes on the hub before the next attempt', async () => {
    const newer = randomBytes(ONNX_BYTES);
    const the = await scene(
      firstTime((request, response, content) => {
        the.files.set(ONNX, newer);
        return breakHalfWay(request, response, content);
      }),
    );
    await the.fetch();
    await assertWhole(the);
    assert.deepEqual(await readFile(path.join(the.folder, ONNX)), newer);
  });

  it('starts over once if the pieces do not form the file', async () => {
    let asked = 0;
    const the = await scene(
      always((request, response, content) => {
        asked += 1;
        if (asked === 1) return breakHalfWay(request, response, content);
        if (asked === 2) sendContent(request, response, randomBytes(content.length), cdnEtag(request.file));
        return asked === 2;
      }),
    );
    await the.fetch();
    await assertWhole(the);
    assert.equal(onnxDownloads(the.hub).length, 3);
  });

  it('starts over if the hub does not show that the pieces are of one version', async () => {
    let asked = 0;
    const the = await scene(({ file }, response, content) => {
      if (file !== ONNX) response.end(content);
      else {
        asked += 1;
        if (asked === 1) breakOff(response, content, HALF);
        else response.end(content);
      }
      return true;
    });
    await the.fetch();
    await assertWhole(the);
    const ranges = the.hub.requests.filter(({ file }) => file === ONNX).map(({ range }) => range);
    assert.deepEqual(ranges, [undefined, undefined]);
  });

  it('keeps what has arrived while the hub is overloaded', async () => {
    let asked = 0;
    const the = await scene(
      always((request, response, content) => {
        asked += 1;
        if (asked === 1) return breakHalfWay(request, response, content);
        if (asked === 2) response.writeHead(503).end();
        return asked === 2;
      }),
    );
    await the.fetch();
    await assertWhole(the);
    const [, second, third] = onnxDownloads(the.hub);
    assert.ok(second?.range);
    assert.equal(third?.range, second.range);
  });

  it('resumes if the hub stops sending', async () => {
    const the = await scene(
      firstTime(({ file }, response, content) => {
        response.writeHead(200, { 'content-length': content.length, etag: cdnEtag(file) });
        response.write(content.subarray(0, HALF));
        return true;
      }),
    );
    await the.fetch({ stallMs: 1000 });
    await assertWhole(the);
    assert.ok(onnxDownloads(the.hub).at(-1)?.range);
  });

  it('fails after five attempts that bring nothing', async () => {
    const the = await scene(
      always((request, response, content) => {
        if (request.range === undefined) return breakHalfWay(request, response, content);
        response.destroy();
        return true;
      }),
    );
    await assertRefused(the, ONNX, /\(it broke off after \d+ of 600000 bytes: .+\)$/);
    const tries = onnxDownloads(the.hub).length;
    assert.ok(tries >= 5 && tries <= 6, String(tries));
  });

  it('is cancelled by its signal and leaves no partial file', async () => {
    const stop = new AbortController();
    const the = await scene(
      firstTime((_, response, content) => {
        response.writeHead(200, { 'content-length': content.length });
        response.write(content.subarray(0, HALF), () => stop.abort(new Error('no one waits')));
        return true;
      }),
    );
    await assert.rejects(the.fetch({ signal: stop.signal }), { message: 'no one waits' });
    await assertNoParts(the.folder);
    assert.deepEqual(await the.verdicts(), ['ok', 'ok', 'ok', 'missing']);
  });
});

describe('a hub that does not provide the model', () => {
  it('is asked once for a file that it does not have', async () => {
    const the = await scene();
    the.files.delete('config.json');
    await assertRefused(
      the,
      'config.json',
      /\(http:\S+\/owner\/model\/resolve\/main\/config\.json answered 404\)$/,
    );
    assert.equal(the.hub.requests.length, 1);
  });

  it('is asked five times while it is overloaded', async () => {
    const the = await scene((_, response) => {
      response.writeHead(503).end();
      return true;
    });
    await assertRefused(the, 'config.json', /answered 503\)$/);
    assert.equal(the.hub.requests.length, 5);
  });

  it('causes an error at once if it cannot be reached', async () => {
    const the = await scene();
    the.hub.close();
    await assertRefused(the, 'config.json', /ECONNREFUSED/, { retryMs: 1e8 });
  });

  it('causes an error at once if it never answers', async () => {
    const the = await scene(() => true);
    await assertRefused(the, 'config.json', /nothing arrived for 0\.1 s/, { stallMs: 100, retryMs: 1e8 });
  });

  it('causes an error if it redirects in a circle', async () => {
    const the = await scene((_, response) => {
      response.writeHead(302, { location: '/owner/model/resolve/main/config.json' }).end();
      return true;
    });
    await assertRefused(the, 'config.json', /more than 5 redirects/);
    assert.equal(the.hub.requests.length, 6);
  });

  for (const location of ['file:///etc/passwd', 'ftp://127.0.0.1/x', 'http://someone:secret@127.0.0.1/x']) {
    it(`is not followed to ${location}`, async () => {
      const the = await scene((_, response) => {
        response.writeHead(302, { location }).end();
        return true;
      });
      await assertRefused(the, 'config.json', /redirects to [a-z]+:\/\/[^ :]*, which is not followed/);
    });
  }

  it('is not followed from https to http', async (t) => {
    const asked: string[] = [];
    t.mock.method(globalThis, 'fetch', (address: unknown) => {
      asked.push(address instanceof URL ? address.href : 'another');
      return Promise.resolve(
        new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/x' } }),
      );
    });
    const { modelDir } = await scene();
    const fetching = ensureModelFiles({
      name: NAME,
      modelDir,
      allowDownload: true,
      hub: 'https://hub.test/hf',
    });
    await assert.rejects(fetching, /redirects to http:\/\/127\.0\.0\.1, which is not followed\)$/);
    assert.deepEqual(asked, ['https://hub.test/hf/owner/model/resolve/main/config.json']);
  });
});
