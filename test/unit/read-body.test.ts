import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readBody } from '../../api/http/bodies/read-body.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1024 * 1024;

/** Reads a body of spaces from parts of this length; gives what was read and the parts. */
async function readParts(partBytes: number, count: number): Promise<{ bytes: Buffer; parts: Buffer[] }> {
  const stream = new PassThrough({ highWaterMark: 4 * MIB });
  const request = { headers: {}, routeOptions: { bodyLimit: 4 * MIB, config: {} } };
  const body = readBody(...([request, stream] as unknown as Parameters<typeof readBody>));
  const parts = Array.from({ length: count }, () => Buffer.alloc(partBytes, ' '));
  for (const part of parts) stream.write(part);
  stream.end();
  return { bytes: await body, parts };
}

describe('the bytes of a body', () => {
  it('the parts of a large body are freed as soon as they are copied', async () => {
    const { bytes, parts } = await readParts(MIB / 16, 40);
    assert.ok(bytes.equals(Buffer.alloc(2.5 * MIB, ' ')));
    const left = parts.filter((part) => part.length > 0);
    assert.equal(left.length, 16, 'only those of the first MiB');
  });

  it('a part that is longer than Node reads from a connection is not freed', async () => {
    const { bytes, parts } = await readParts(MIB, 2);
    assert.ok(bytes.equals(Buffer.alloc(2 * MIB, ' ')));
    assert.deepEqual(
      parts.map((part) => part.length),
      [MIB, MIB],
    );
  });

  it('a connection does not hold the bytes of a body after they are read', async () => {
    const stream = new PassThrough();
    const request = { headers: {}, routeOptions: { bodyLimit: 1024, config: {} } };
    const read = async () => {
      const body = readBody(...([request, stream] as unknown as Parameters<typeof readBody>));
      stream.end('{"title":"x"}');
      const bytes = await body;
      assert.equal(bytes.toString(), '{"title":"x"}');
      return new WeakRef(bytes);
    };
    const bytes = await read();
    // The target of a new WeakRef is kept until the end of the turn.
    await nextTurn();
    collectGarbage();
    assert.equal(bytes.deref(), undefined);
    assert.ok(stream.listenerCount('error') > 0, 'a later fault has a listener');
  });
});
