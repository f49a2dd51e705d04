import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Lane } from '../../../worker/embedder/model-process.ts';
import {
  EmbeddingInterruptedError,
  LANES,
  TextLanes,
  TextRefusedError,
} from '../../../worker/embedder/text-lanes.ts';

/** What came of a text. */
type Outcome = 'vector' | 'refused' | 'interrupted';

interface Expected {
  text: string;
  ended: number;
  outcome: Outcome | null;
}

/** The lanes as plainly as can be, beside the real ones: what each text is expected to come to. */
class Model {
  readonly real = new TextLanes();
  readonly all: Expected[] = [];
  readonly waiting: Record<Lane, Expected[]> = { query: [], passage: [] };
  readonly underWay: Record<Lane, Expected | null> = { query: null, passage: null };
  closed = false;
  readonly #seen: Outcome[][] = [];
  readonly #leaving: AbortController[] = [];

  /** @param isWanted whether anybody waits for its vector */
  add(lane: Lane, isWanted: boolean): void {
    const number = this.all.length;
    const isTaken = isWanted && !this.closed;
    const expected: Expected = { text: String(number), ended: 0, outcome: isTaken ? null : 'interrupted' };
    const seen: Outcome[] = [];
    const leaving = new AbortController();
    this.all.push(expected);
    this.#seen.push(seen);
    this.#leaving.push(leaving);
    if (isTaken) this.waiting[lane].push(expected);
    if (!isWanted) leaving.abort();
    void this.real.enqueue(expected.text, lane, leaving.signal).then(
      (vector) => {
        assert.deepEqual(vector, Float32Array.of(number), 'it gets its own vector');
        seen.push('vector');
      },
      (error: unknown) => {
        assert.ok(error instanceof TextRefusedError || error instanceof EmbeddingInterruptedError);
        seen.push(error instanceof TextRefusedError ? 'refused' : 'interrupted');
      },
    );
  }

  take(lane: Lane): void {
    const next = this.underWay[lane] === null ? this.waiting[lane].shift() : undefined;
    if (next) this.underWay[lane] = next;
    assert.equal(this.real.dequeue(lane), next?.text, 'the first of the lane is taken, one at a time');
  }

  answer(lane: Lane): void {
    const text = this.underWay[lane];
    this.underWay[lane] = null;
    if (text) text.outcome ??= 'vector';
    this.real.answer(lane, Float32Array.of(Number(text?.text)));
  }

  putBack(running: Lane | null): void {
    for (const lane of LANES) {
      const text = this.underWay[lane];
      this.underWay[lane] = null;
      if (!text || text.outcome !== null) continue;
      if (running === lane) text.ended += 1;
      if (text.ended === 2) text.outcome = 'refused';
      else this.waiting[lane].unshift(text);
    }
    this.real.requeue(running);
  }

  leave(which: number): void {
    const place = which % this.all.length;
    const text = this.all[place];
    if (!text) return;
    for (const lane of LANES) this.waiting[lane] = this.waiting[lane].filter((one) => one !== text);
    text.outcome ??= 'interrupted';
    this.#leaving[place]?.abort();
  }

  close(): void {
    this.closed = true;
    for (const lane of LANES) {
      this.waiting[lane] = [];
      this.underWay[lane] = null;
    }
    for (const text of this.all) text.outcome ??= 'interrupted';
    this.real.close();
  }

  async check(): Promise<void> {
    await new Promise(setImmediate);
    assert.equal(
      this.real.idle,
      LANES.every((lane) => this.underWay[lane] === null),
    );
    for (const [number, { outcome }] of this.all.entries()) {
      assert.deepEqual(this.#seen[number], outcome === null ? [] : [outcome], `text ${number}`);
    }
  }
}

test('the lanes of texts settle each text once with the expected result, in the order of its lane, in any sequence of events', async () => {
  const lane = fc.constantFrom<Lane>(...LANES);
  const deed = fc.oneof(
    { weight: 40, arbitrary: lane.map((of) => (model: Model) => model.add(of, true)) },
    { weight: 2, arbitrary: lane.map((of) => (model: Model) => model.add(of, false)) },
    { weight: 40, arbitrary: lane.map((of) => (model: Model) => model.take(of)) },
    { weight: 20, arbitrary: lane.map((of) => (model: Model) => model.answer(of)) },
    { weight: 20, arbitrary: fc.option(lane).map((running) => (model: Model) => model.putBack(running)) },
    { weight: 10, arbitrary: fc.nat().map((which) => (model: Model) => model.leave(which)) },
    { weight: 1, arbitrary: fc.constant((model: Model) => model.close()) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 60, size: 'max' }), async (deeds) => {
      const model = new Model();
      for (const act of deeds) {
        act(model);
        await model.check();
      }
      model.close();
      await model.check();
      assert.ok(model.all.every(({ outcome }) => outcome !== null));
    }),
    { numRuns: 300 },
  );
});
