import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  always,
  assertRefused,
  assertWhole,
  firstTime,
  ONNX,
  ONNX_BYTES,
  openFetchScenes,
} from './model-fetching.ts';
import { cdnEtag, gitSha1, type Misbehaviour, sendContent, sha256 } from './model-hub.ts';

const scene = await openFetchScenes();

const plainSha1 = (content: Buffer) => createHash('sha1').update(content).digest('hex');
const twice = (content: Buffer) => Buffer.concat([content, content]);

/** Small files are sent with this etag. */
const withEtag =
  (etag: (content: Buffer) => string): Misbehaviour =>
  (request, response, content) => {
    if (request.file !== ONNX) sendContent(request, response, content, etag(content));
    return request.file !== ONNX;
  };
/** The hub leads to its CDN without a hash, and the CDN sends the large file with this etag. */
const withCdnEtag =
  (etag: (content: Buffer) => string): Misbehaviour =>
  (request, response, content) => {
    if (request.file !== ONNX) return false;
    if (request.at === 'cdn') sendContent(request, response, content, etag(content));
    else response.writeHead(302, { location: `${request.cdnUrl}/main/${ONNX}` }).end();
    return true;
  };
/** The large content is sent like this, without a length unless it is told. */
const sending = (change: (content: Buffer) => Buffer, tellsLength = false) =>
  always((_, response, content) => {
    if (tellsLength) response.end(change(content));
    else response.write(change(content), () => response.end());
    return true;
  });

const ACCEPTED: Readonly<Record<string, Misbehaviour>> = {
  'if the etag is the git SHA-1': withEtag((content) => `"${gitSha1(content)}"`),
  'if the etag is the git SHA-1, weak': withEtag((content) => `W/"${gitSha1(content)}"`),
  'if the etag is the git SHA-1, not quoted': withEtag(gitSha1),
  'if the etag is the plain SHA-1 of a mirror': withEtag((content) => `"${plainSha1(content)}"`),
  'if the etag says nothing': withEtag(() => '"65a1f3-1c8"'),
  'whatever SHA-256 the etag of a CDN looks like': withCdnEtag((content) => `"${sha256(twice(content))}"`),
  'whatever SHA-1 the etag of a CDN looks like': withCdnEtag((content) => `"${plainSha1(twice(content))}"`),
  'if a mirror compresses it without request': ({ file }, response, content) => {
    if (file === ONNX) return false;
    response.writeHead(200, { 'content-encoding': 'gzip', etag: gitSha1(content) }).end(gzipSync(content));
    return true;
  },
};

const REFUSED: Readonly<Record<string, [misbehave: Misbehaviour, file: string, reason: RegExp]>> = {
  'if the git SHA-1 differs': [
    firstTime((request, response, content) => {
      sendContent(request, response, Buffer.from('{}'), `"${gitSha1(content)}"`);
      return true;
    }, 'tokenizer.json'),
    'tokenizer.json',
    /does not have the hash that the hub reports/,
  ],
  // A second request would get the right content.
  'if the SHA-256 differs with the same length, and is not requested again': [
    firstTime(({ file }, response) => {
      sendContent({ file } as never, response, randomBytes(ONNX_BYTES), cdnEtag(file));
      return true;
    }),
    ONNX,
    /does not have the hash that the hub reports/,
  ],
  'if the sent length differs from the length that the hub reports': [
    sending((content) => content.subarray(0, 1000), true),
    ONNX,
    /the hub reports 600000 bytes, and 1000 are sent/,
  ],
  'if less arrives than the hub reports': [
    sending((content) => content.subarray(1)),
    ONNX,
    /has 599999 bytes, not 600000/,
  ],
  'if more arrives than the hub reports': [sending(twice), ONNX, /more arrived than the 600000 bytes/],
  'if it is the sign-in page of a network': [
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
      return true;
    },
    'config.json',
    /is no JSON/,
  ],
  'if it is empty': [
    ({ file }, response) => {
      response.end(file === ONNX ? undefined : '{}');
      return true;
    },
    ONNX,
    /is empty/,
  ],
};

describe('the content of a downloaded file', () => {
  for (const [when, misbehave] of Object.entries(ACCEPTED)) {
    it(`is accepted ${when}`, async () => {
      const the = await scene(misbehave);
      await the.fetch();
      await assertWhole(the);
    });
  }
  for (const [when, [misbehave, file, reason]] of Object.entries(REFUSED)) {
    it(`is refused ${when}`, async () => assertRefused(await scene(misbehave), file, reason));
  }
});
