import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pace } from '../../worker/embedder/text-lanes.ts';

/** Chunks that were stored, each with the seconds since the ones before, and the pace so many seconds after the last. */
const PACES: Readonly<
  Record<string, [stored: [after: number, chunks: number][], after: number, perMinute: number]>
> = {
  'is 0 before the first chunk': [[], 0, 0],
  'covers the time since the first chunk if that is less than a minute': [
    [
      [0, 10],
      [20, 10],
    ],
    0,
    60,
  ],
  'assumes at least a second for the first chunk': [[[0, 2]], 0, 120],
  'covers only the last minute after the first minute': [
    [
      [0, 1000],
      [59, 30],
    ],
    2,
    30,
  ],
  'is 0 after a minute without a chunk': [
    [
      [0, 1000],
      [59, 30],
    ],
    62,
    0,
  ],
  'is 0 after a job that stored nothing': [[[0, 0]], 7, 0],
  'is an integer': [
    [
      [0, 0],
      [7, 1],
    ],
    0,
    9,
  ],
};

for (const [title, [stored, after, perMinute]] of Object.entries(PACES)) {
  test(`the pace of embedding ${title}`, () => {
    let seconds = 100;
    const chunks = pace(() => seconds * 1000);
    for (const [pause, count] of stored) {
      seconds += pause;
      chunks.add(count);
    }
    seconds += after;
    assert.equal(chunks.perMinute(), perMinute);
  });
}
