import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readBody } from '../../api/bodies/read-body.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('the bytes of a body', () => {
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
