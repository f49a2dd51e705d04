import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type EnsureOptions, ensureModelFiles } from '../../../worker/embedder/model-files.ts';
import { until } from '../../support/process-table.ts';
import {
  always,
  assertNoParts,
  assertRefused,
  assertWhole,
  breakHalfWay,
  type FetchScene,
  firstTime,
  HALF,
  hasPart,
  NAME,
  ONNX,
  ONNX_BYTES,
  onnxDownloads,
  openFetchScenes,
} from './model-fetching.ts';
import { breakOff, cdnEtag, type Misbehaviour, sendContent } from './model-hub.ts';

const scene = await openFetchScenes();

/** The requests for the large content are answered by these, one after the other, and then as they should be. */
function inTurn(...steps: Misbehaviour[]): Misbehaviour {
  let asked = 0;
  return always((request, response, content) => {
    asked += 1;
    return steps[asked - 1]?.(request, response, content) ?? false;
  });
}
const answering =
  (status: number, headers: Record<string, string> = {}): Misbehaviour =>
  (_, response) => {
    response.writeHead(status, headers).end();
    return true;
  };

/** What happens to a download that broke off half-way, and whether each of its requests asks for the rest only. */
const RESUMED: Readonly<
  Record<string, [steps: Misbehaviour[], asksForRest: boolean[], options?: EnsureOptions]>
> = {
  'resumes where it stopped': [[breakHalfWay], [false, true]],
  'starts over if the hub ignores the range': [
    [
      breakHalfWay,
      (_, response, content) => {
        response.writeHead(200, { 'content-length': content.length }).end(content);
        return true;
      },
    ],
    [false, true],
  ],
  'starts over if the hub has no such range': [
    [breakHalfWay, answering(416)],
    [false, true, false],
  ],
  'starts over if the hub sends another range': [
    [breakHalfWay, answering(206, { 'content-range': 'bytes 0-9/600000' })],
    [false, true, false],
  ],
  'starts over once if the pieces do not form the file': [
    [
      breakHalfWay,
      (request, response, content) => {
        sendContent(request, response, randomBytes(content.length), cdnEtag(request.file));
        return true;
      },
    ],
    [false, true, false],
  ],
  'keeps what has arrived while the hub is overloaded': [
    [breakHalfWay, answering(503)],
    [false, true, true],
  ],
  'resumes if the hub stops sending': [
    [
      ({ file }, response, content) => {
        response.writeHead(200, { 'content-length': content.length, etag: cdnEtag(file) });
        response.write(content.subarray(0, HALF));
        return true;
      },
    ],
    [false, true],
    { stallMs: 1000 },
  ],
};

describe('an interrupted download', () => {
  for (const [title, [steps, asksForRest, options]] of Object.entries(RESUMED)) {
    it(title, async () => {
      const the = await scene(inTurn(...steps));
      await the.fetch(options);
      await assertWhole(the);
      const asked = onnxDownloads(the.hub);
      assert.deepEqual(
        asked.map(({ range }) => range !== undefined),
        asksForRest,
      );
      // What had come on the wire before the connection was gone.
      const rest = asked.filter(({ range }) => range !== undefined);
      const from = Number(/^bytes=(\d+)-$/.exec(rest[0]?.range ?? '')?.[1]);
      assert.ok(from > 0 && from <= HALF, String(from));
      for (const { range, ifRange } of rest) {
        assert.deepEqual([range, ifRange], [`bytes=${from}-`, cdnEtag(ONNX)]);
      }
    });
  }

  it('returns the new version if the file changes on the hub before the next attempt', async () => {
    const the = await scene(
      firstTime((request, response, content) => {
        the.files.set(ONNX, randomBytes(ONNX_BYTES));
        return breakHalfWay(request, response, content);
      }),
    );
    await the.fetch();
    await assertWhole(the);
  });

  it('starts over if the hub does not show that the pieces are of one version', async () => {
    let asked = 0;
    const the = await scene(({ file }, response, content) => {
      if (file === ONNX) asked += 1;
      if (file === ONNX && asked === 1) breakOff(response, content, HALF);
      else response.end(content);
      return true;
    });
    await the.fetch();
    await assertWhole(the);
    const ranges = the.hub.requests.filter(({ file }) => file === ONNX).map(({ range }) => range);
    assert.deepEqual(ranges, [undefined, undefined]);
  });

  it('is cancelled by its signal, and continued by the next call', async () => {
    const the = await cancelledHalfWay();
    await assertNoParts(the.folder);
    assert.deepEqual(await the.verdicts(), ['ok', 'ok', 'ok', 'missing']);
    const begun: number[] = [];
    await the.fetch({ begin: ({ disk }) => begun.push(disk) });
    await assertWhole(the);
    const from = Number(/^bytes=(\d+)-$/.exec(onnxDownloads(the.hub).at(-1)?.range ?? '')?.[1]);
    assert.ok(from > 0 && from <= HALF, String(from));
    assert.deepEqual(begun, [ONNX_BYTES - from], 'what has arrived needs no more space');
    assert.deepEqual(await unfinished(the), []);
  });

  it('starts over in the next call if the file has changed on the hub', async () => {
    const the = await cancelledHalfWay();
    the.files.set(ONNX, randomBytes(ONNX_BYTES));
    await the.fetch();
    await assertWhole(the);
    assert.deepEqual(await unfinished(the), []);
  });

  it('starts over in the next call if what was left is damaged', async () => {
    const the = await cancelledHalfWay();
    const [left = ''] = await unfinished(the);
    const file = path.join(the.folder, left);
    await writeFile(file, randomBytes((await stat(file)).size));
    await the.fetch();
    await assertWhole(the);
  });

  it('is kept for the next call if the hub stays away', async () => {
    let answers = 0;
    const the = await scene(
      always((request, response, content) => {
        answers += 1;
        if (answers === 1) return breakHalfWay(request, response, content);
        if (answers > 5) return false;
        response.writeHead(503).end();
        return true;
      }),
    );
    await assert.rejects(the.fetch(), /answered 503\): try again later$/);
    await the.fetch();
    await assertWhole(the);
    assert.match(onnxDownloads(the.hub).at(-1)?.range ?? '', /^bytes=[1-9]\d*-$/);
  });

  /** A download that was cancelled when half of the large file was sent. */
  async function cancelledHalfWay(): Promise<FetchScene> {
    const stop = new AbortController();
    const the = await scene(
      firstTime(({ file }, response, content) => {
        response.writeHead(200, { 'content-length': content.length, etag: cdnEtag(file) });
        response.write(content.subarray(0, HALF));
        return true;
      }),
    );
    const cancelled = assert.rejects(the.fetch({ signal: stop.signal }), { message: 'no one waits' });
    await until(AbortSignal.timeout(20_000), () => hasPart(path.join(the.folder, path.dirname(ONNX))));
    stop.abort(new Error('no one waits'));
    await cancelled;
    return the;
  }

  async function unfinished({ folder }: FetchScene): Promise<string[]> {
    const names = await readdir(folder, { recursive: true });
    return names.filter((name) => name.endsWith('.unfinished'));
  }
});

const redirecting = (location: string) => answering(302, { location });

/** Hubs, why nothing comes of them, and how often they are asked. */
const UNUSABLE: Readonly<
  Record<string, [hub: Misbehaviour, reason: RegExp, asked: number, options?: EnsureOptions]>
> = {
  'is asked once for a file that it does not have': [
    answering(404),
    /\(http:\S+\/owner\/model\/resolve\/main\/config\.json answered 404\): check the name in MEMORY_EMBEDDING_MODEL/,
    1,
  ],
  'is asked five times while it is overloaded': [answering(503), /answered 503\): try again later$/, 5],
  'causes an error at once if it never answers': [
    () => true,
    /nothing arrived for 0\.1 s/,
    1,
    { stallMs: 100, retryMs: 1e8 },
  ],
  'causes an error if it redirects in a circle': [
    redirecting('/owner/model/resolve/main/config.json'),
    /more than 5 redirects/,
    6,
  ],
  ...Object.fromEntries(
    ['file:///etc/passwd', 'ftp://127.0.0.1/x', 'http://someone:secret@127.0.0.1/x'].map((location) => [
      `is not followed to ${location}`,
      [redirecting(location), /redirects to [a-z]+:\/\/[^ :]*, which is not followed/, 1],
    ]),
  ),
};

describe('a hub that does not provide the model', () => {
  for (const [title, [hub, reason, asked, options]] of Object.entries(UNUSABLE)) {
    it(title, async () => {
      const the = await scene(hub);
      await assertRefused(the, 'config.json', reason, options);
      assert.equal(the.hub.requests.length, asked);
    });
  }

  it('causes an error at once if it cannot be reached', async () => {
    const the = await scene();
    the.hub.close();
    await assertRefused(the, 'config.json', /ECONNREFUSED/, { retryMs: 1e8 });
  });

  it('is not followed from https to http', async (t) => {
    const asked: string[] = [];
    t.mock.method(globalThis, 'fetch', (address: unknown) => {
      asked.push(address instanceof URL ? address.href : 'another');
      return Promise.resolve(
        new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/x' } }),
      );
    });
    const { modelDir } = await scene();
    const settings = { name: NAME, modelDir, allowDownload: true, hub: 'https://hub.test/hf' };
    await assert.rejects(
      ensureModelFiles(settings),
      /redirects to http:\/\/127\.0\.0\.1, which is not followed\)/,
    );
    assert.deepEqual(asked, ['https://hub.test/hf/owner/model/resolve/main/config.json']);
  });
});
