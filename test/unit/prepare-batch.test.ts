import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel, MessagePort } from 'node:worker_threads';
import fc from 'fast-check';
import { Piscina } from 'piscina';
import { Turns } from '../../shared/resources/async.ts';
import { SoleReference } from '../../shared/resources/process.ts';
import { cutPieces } from '../../shared/text/chunking.ts';
import { prepareContents } from '../../shared/text/memory-content.ts';
import { prepareBatch, prepareSource } from '../../shared/text/prepare-batch.ts';
import {
  type ChunkInput,
  fieldsNow,
  MAX_CHUNKS,
  prepareChunksNow,
  prepareInPortions,
  TooManyChunksError,
} from '../../shared/text/prepared-chunks.ts';
import { chunkTerms, termsAndSketch } from '../../shared/text/terms/terms.ts';
import prepareInThread from '../../shared/text/threads/prepare-batch-thread.ts';
import { countTurns } from '../support/count-turns.ts';
import { markdownTable, tableHead } from '../support/long-table.ts';

const TEAM = 'a team';
const OTHER = 'another team';
const PROSE = 'The pump in hall three leaks, and nobody has ordered the seal yet. ';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a batch of texts', () => {
  const part = fc.constantFrom(PROSE, '# A\nb\n', '中文字符', '\ufdfa', '\r\n', '\n\n');
  const text = fc
    .array(fc.tuple(part, fc.integer({ min: 1, max: 80 })), { maxLength: 6 })
    .map((parts) => parts.map(([each, times]) => each.repeat(times)).join(''));
  const place = fc.option(fc.record({ page: fc.integer() }, { requiredKeys: [] }));
  const input = fc.oneof(
    text.map((whole): ChunkInput => ({ text: whole })),
    fc.array(text, { maxLength: 3 }).map((chunks): ChunkInput => ({ chunks })),
    fc.array(fc.record({ text, place }), { maxLength: 3 }).map((parts): ChunkInput => ({ parts })),
  );

  it('a batch is cut into the same chunks as each text by itself', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(input, { maxLength: 5 }), async (inputs) => {
        const alone = inputs.map((one) => prepareChunksNow(TEAM, one));
        assert.deepEqual(await prepareBatch(TEAM, inputs), alone);
      }),
      { numRuns: 40 },
    );
  });

  it('the event loop turns while many short texts are cut', async () => {
    const [title, content] = ['Pumps', '\ufdfa'.repeat(12_000)];
    const batch = Array.from({ length: 12 }, () => ({ title, content }));
    let prepared: Awaited<ReturnType<typeof prepareContents>> = [];
    const turns = await countTurns(async () => {
      prepared = await prepareContents(TEAM, batch);
    });
    assert.ok(turns > 10, `${turns} turns`);
    const [first, last] = [prepared[0], prepared.at(-1)];
    assert.deepEqual(first?.chunks, prepareChunksNow(TEAM, { text: content, fields: fieldsNow(title) }));
    assert.deepEqual(first.terms, chunkTerms(TEAM, content.slice(0, 8000)));
    assert.deepEqual(last, first);
  });
});

it('a heading row that a chunk repeats finds it, and counts neither towards its length nor in its sketch', () => {
  const [, second] = prepareChunksNow(TEAM, { text: markdownTable('Torque') });
  assert.ok(second);
  const head = tableHead('Torque');
  assert.ok(second.text.startsWith(head));
  const own = second.text.slice(head.length);
  const { read: _, ...indexed } = termsAndSketch(TEAM, own, `\n${head}`);
  assert.deepEqual({ terms: second.terms, sketch: second.sketch }, indexed);
  assert.deepEqual(second.sketch, termsAndSketch(TEAM, own).sketch);
});

describe('the limit of chunks', () => {
  /** Returns `count` parts of one letter, and counts those that were read. */
  function countedParts(count: number) {
    const looked = { parts: 0 };
    const part = {
      place: null,
      get text() {
        looked.parts += 1;
        return 'a';
      },
    };
    return { looked, parts: Array.from({ length: count }, () => part) };
  }

  it('the limit stops the cutting and counts the chunks of all texts together', () => {
    const half = MAX_CHUNKS / 2;
    const [first, second] = [countedParts(half), countedParts(half + 1_000)];
    assert.throws(() => [...prepareInPortions(TEAM, [first, second])], TooManyChunksError);
    assert.equal(first.looked.parts, half);
    assert.equal(second.looked.parts, half + 1);
  });

  it('a text is cut only as far as its reader asks', (t) => {
    const segment = t.mock.method(Intl.Segmenter.prototype, 'segment');
    const pieces = cutPieces('z'.repeat(4_000_000));
    for (let taken = 0; taken < 5; ) if (pieces.next().value) taken += 1;
    const looked = segment.mock.callCount();
    assert.ok(looked > 0 && looked < 100, `${looked} looks for a boundary`);
  });
});

describe('a large source', () => {
  /** Chunks and not a text: cutting gives portions without chunks when the machine is busy. */
  const input = { chunks: Array.from({ length: 1_200 }, (_, n) => `${n} ${PROSE}`) };

  /** The source in portions. */
  async function portionsOf(given: ChunkInput) {
    const source = await prepareSource(TEAM, new SoleReference(given));
    assert.ok(!('length' in source), 'it is large');
    return source;
  }

  it('a large source is prepared one portion ahead of its reader', async (t) => {
    const post = t.mock.method(MessagePort.prototype, 'postMessage');
    const read: unknown[] = [];
    let taken = 0;
    for await (const chunks of await portionsOf(input)) {
      taken += 1;
      read.push(...chunks);
      const asked = post.mock.calls.filter(({ arguments: [value] }) => value === 'next');
      assert.equal(asked.length, taken);
    }
    assert.deepEqual(read, prepareChunksNow(TEAM, input));
    assert.ok(taken >= 6, `${taken} portions`);
  });

  it('a large source waits in its thread for the reader and ends when the reader closes its port', async () => {
    const { port1: own, port2: port } = new MessageChannel();
    let made = 0;
    own.on('message', () => {
      made += 1;
    });
    const outcome = prepareInThread({ teamId: TEAM, inputs: [input], port });
    for (const asked of [1, 2, 3]) {
      while (made < asked) await nextTurn();
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      assert.equal(made, asked);
      if (asked < 3) own.postMessage('next');
    }
    own.close();
    assert.equal(await outcome, 'unwanted');
  });

  it('a large source is held in memory only by the thread that prepares it', async () => {
    // A function of its own, so that no variable of this test holds the source.
    const given = () => {
      const own = { chunks: [...input.chunks] };
      return { reference: new SoleReference<ChunkInput>(own), kept: new WeakRef(own) };
    };
    const { reference, kept } = given();
    const portions = await prepareSource(TEAM, reference);
    assert.ok(!('length' in portions), 'it is large');
    let taken = 0;
    for await (const _ of portions) {
      taken += 1;
      await nextTurn();
      collectGarbage();
      assert.equal(kept.deref(), undefined);
      if (taken === 2) break;
    }
    await assert.rejects(Array.fromAsync(portions), /dropped/, 'it is read once');
  });

  for (const how of ['stops', 'fails']) {
    it(`a large source is not prepared further when its reader ${how}`, { timeout: 30_000 }, async (t) => {
      const run = t.mock.method(Piscina.prototype, 'run');
      const portions = await portionsOf({ text: PROSE.repeat(100_000) });
      // Ends when the thread has ended the task.
      const reading = async () => {
        for await (const _ of portions) {
          if (how === 'stops') break;
          throw new Error('full disk');
        }
      };
      if (how === 'stops') await reading();
      else await assert.rejects(reading(), /full disk/);
      assert.equal(run.mock.callCount(), 1);
      assert.equal(await run.mock.calls[0]?.result, 'unwanted');
    });
  }

  it('a large source with too many chunks is refused before its first portion', async () => {
    let portions = 0;
    const chunks = Array.from({ length: MAX_CHUNKS + 1 }, () => 'a');
    const reading = async () => {
      for await (const _ of await portionsOf({ chunks })) portions += 1;
    };
    await assert.rejects(reading(), TooManyChunksError);
    assert.equal(portions, 0);
  });
});

describe('the thread that cuts texts', () => {
  it('the thread serves Teams in turns, so that large texts of one do not delay another', async () => {
    const ended: string[] = [];
    const large = Array.from({ length: 4 }, async () => {
      await prepareBatch(TEAM, [{ text: PROSE.repeat(20_000) }]);
      ended.push('large');
    });
    await nextTurn();
    await prepareBatch(OTHER, [{ text: PROSE.repeat(2_000) }]);
    ended.push('other');
    await Promise.all(large);
    assert.equal(ended[0], 'other');
  });

  it('the thread stops for a request whose connection closed and serves the next one', async () => {
    const gone = new AbortController();
    const cut = prepareBatch(TEAM, [{ text: PROSE.repeat(200_000) }], gone.signal);
    setTimeout(() => gone.abort(), 50);
    await assert.rejects(cut, { code: 'invalid_request' });
    const [next] = await prepareBatch(TEAM, [{ text: PROSE.repeat(2_000) }]);
    assert.deepEqual(next, prepareChunksNow(TEAM, { text: PROSE.repeat(2_000) }));
    await assert.rejects(prepareBatch(TEAM, [{ text: 'a' }], gone.signal), { code: 'invalid_request' });
  });
});

describe('turns', () => {
  it('turns go to each group in order, however often one of them asks', async () => {
    const turns = new Turns();
    const had: string[] = [];
    const task = async (name: string) => {
      await turns.acquire(name[0] ?? '');
      had.push(name);
      turns.release();
    };
    await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(task));
    assert.deepEqual(had, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    await task('d1');
    assert.equal(had.at(-1), 'd1');
  });
});
