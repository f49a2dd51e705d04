import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pace } from '../../worker/embedder/text-lanes.ts';

const SECOND_MS = 1000;

describe('the pace of embedding', () => {
  /** A pace whose clock is set by hand, in seconds. */
  const withClock = () => {
    const clock = { seconds: 100 };
    return { clock, chunks: pace(() => clock.seconds * SECOND_MS) };
  };

  test('is 0 before the first chunk', () => {
    const { chunks } = withClock();
    assert.equal(chunks.perMinute(), 0);
  });

  test('covers the time since the first chunk if that is less than a minute', () => {
    const { clock, chunks } = withClock();
    chunks.add(10);
    clock.seconds += 20;
    chunks.add(10);
    assert.equal(chunks.perMinute(), 60);
  });

  test('assumes at least a second for the first chunk', () => {
    const { chunks } = withClock();
    chunks.add(2);
    assert.equal(chunks.perMinute(), 120);
  });

  test('covers only the last minute after the first minute', () => {
    const { clock, chunks } = withClock();
    chunks.add(1000);
    clock.seconds += 59;
    chunks.add(30);
    clock.seconds += 2;
    assert.equal(chunks.perMinute(), 30);
    clock.seconds += 60;
    assert.equal(chunks.perMinute(), 0);
  });

  test('is an integer, and 0 after a job that stored nothing', () => {
    const { clock, chunks } = withClock();
    chunks.add(0);
    clock.seconds += 7;
    assert.equal(chunks.perMinute(), 0);
    chunks.add(1);
    assert.equal(chunks.perMinute(), 9);
  });
});
