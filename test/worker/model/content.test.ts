import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  always,
  assertRefused,
  assertWhole,
  type FetchScene,
  firstTime,
  ONNX,
  onnxDownloads,
  openFetchScenes,
} from './model-fetching.ts';
import { cdnEtag, gitSha1, sendContent, sha256 } from './model-hub.ts';

const scene = await openFetchScenes();

describe('the content of a downloaded file', () => {
  const plainSha1 = (content: Buffer) => createHash('sha1').update(content).digest('hex');
  const rightEtags: Record<string, (content: Buffer) => string> = {
    'the git SHA-1': (content) => `"${gitSha1(content)}"`,
    'the git SHA-1, weak': (content) => `W/"${gitSha1(content)}"`,
    'the git SHA-1, not quoted': (content) => gitSha1(content),
    'the plain SHA-1 of a mirror': (content) => `"${plainSha1(content)}"`,
    'a form that says nothing': () => '"65a1f3-1c8"',
  };
  for (const [form, etag] of Object.entries(rightEtags)) {
    it(`is accepted if the etag is ${form}`, async () => {
      const the = await scene((request, response, content) => {
        if (request.file === ONNX) return false;
        sendContent(request, response, content, etag(content));
        return true;
      });
      await the.fetch();
      await assertWhole(the);
    });
  }

  for (const [form, etag] of [
    ['a SHA-256', (content: Buffer) => `"${sha256(Buffer.concat([content, content]))}"`],
    ['a SHA-1', (content: Buffer) => `"${plainSha1(Buffer.concat([content, content]))}"`],
  ] as const) {
    it(`is not compared with the etag of a CDN, even if it looks like ${form}`, async () => {
      const the: FetchScene = await scene((request, response, content) => {
        if (request.file !== ONNX) return false;
        if (request.at === 'cdn') sendContent(request, response, content, etag(content));
        else response.writeHead(302, { location: `${the.hub.cdnUrl}/main/${ONNX}` }).end();
        return true;
      });
      await the.fetch();
      await assertWhole(the);
    });
  }

  it('is refused if the git SHA-1 differs', async () => {
    const the = await scene(
      firstTime((request, response, content) => {
        sendContent(request, response, Buffer.from('{}'), `"${gitSha1(content)}"`);
        return true;
      }, 'tokenizer.json'),
    );
    await assertRefused(the, 'tokenizer.json', /does not have the hash that the hub reports/);
  });

  it('is refused if the SHA-256 differs with the same length, and is not requested again', async () => {
    const the = await scene(
      always(({ file }, response, content) => {
        sendContent({ file } as never, response, randomBytes(content.length), cdnEtag(file));
        return true;
      }),
    );
    await assertRefused(the, ONNX, /does not have the hash that the hub reports/);
    assert.equal(onnxDownloads(the.hub).length, 1);
  });

  it('is refused if the sent length differs from the length that the hub reports', async () => {
    const the = await scene(
      always((_, response, content) => {
        response.end(content.subarray(0, 1000));
        return true;
      }),
    );
    await assertRefused(the, ONNX, /the hub reports 600000 bytes, and 1000 are sent/);
  });

  for (const [what, change, reason] of [
    ['less', (content: Buffer) => content.subarray(1), /has 599999 bytes, not 600000/],
    ['more', (content: Buffer) => Buffer.concat([content, content]), /more arrived than the 600000 bytes/],
  ] as const) {
    it(`is refused if ${what} arrives than the hub reports`, async () => {
      const the = await scene(
        always((_, response, content) => {
          // Written before the end: no length is told.
          response.write(change(content), () => response.end());
          return true;
        }),
      );
      await assertRefused(the, ONNX, reason);
    });
  }

  it('is refused if it is the sign-in page of a network', async () => {
    const the = await scene((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
      return true;
    });
    await assertRefused(the, 'config.json', /is no JSON/);
  });

  it('is refused if it is empty', async () => {
    const the = await scene(({ file }, response) => {
      response.end(file === ONNX ? undefined : '{}');
      return true;
    });
    await assertRefused(the, ONNX, /is empty/);
  });

  it('is unpacked if a mirror compresses it without request', async () => {
    const the = await scene(({ file }, response, content) => {
      if (file === ONNX) return false;
      response.writeHead(200, { 'content-encoding': 'gzip', etag: gitSha1(content) }).end(gzipSync(content));
      return true;
    });
    await the.fetch();
    await assertWhole(the);
  });
});
