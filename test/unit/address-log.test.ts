import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addressLog } from '../../api/http/limits.ts';
import { warningsOf } from '../support/warnings.ts';

const MINUTE = 60_000;

/** A log that a test fills, and what it wrote as `address count`. */
function openLog(t: TestContext, threshold: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { logger, warnings } = warningsOf();
  const lines = () => warnings.map(({ address, count }) => `${String(address)} ${String(count)}`);
  const log = addressLog(logger, 'something', threshold);
  const note = (address: string, times: number) => {
    for (let n = 0; n < times; n += 1) log.record(address);
  };
  return { log, note, lines };
}

test('an address logs one line a minute with the count since the last line', (t) => {
  const { note, lines } = openLog(t, 1);
  note('192.0.2.1', 3);
  note('192.0.2.2', 1);
  assert.deepEqual(lines(), ['192.0.2.1 1', '192.0.2.2 1']);
  t.mock.timers.tick(MINUTE);
  assert.deepEqual(lines().slice(2), ['192.0.2.1 2']);
  note('192.0.2.1', 4);
  assert.equal(lines().length, 3, 'the next minute has begun');
  t.mock.timers.tick(MINUTE);
  assert.deepEqual(lines().slice(3), ['192.0.2.1 4']);
  t.mock.timers.tick(MINUTE);
  note('192.0.2.1', 1);
  assert.deepEqual(lines().slice(4), ['192.0.2.1 1'], 'at once after a minute without');
});

test('fewer events than the threshold within a minute log no line', (t) => {
  const { log, note, lines } = openLog(t, 3);
  note('192.0.2.1', 2);
  t.mock.timers.tick(MINUTE);
  note('192.0.2.1', 2);
  assert.deepEqual(lines(), []);
  note('192.0.2.1', 1);
  assert.deepEqual(lines(), ['192.0.2.1 3']);
  note('192.0.2.2', 2);
  log.close();
  assert.equal(lines().length, 1);
});

test('an IPv6 network counts as one address', (t) => {
  const { log, note, lines } = openLog(t, 1);
  note('2001:db8:1:2::3', 1);
  note('2001:db8:1:2:ffff::4', 1);
  log.close();
  assert.deepEqual(lines(), ['2001:db8:1:2:: 1', '2001:db8:1:2:: 1']);
});

test('addresses beyond the first thousand of a minute share one line', (t) => {
  const { note, lines } = openLog(t, 1);
  for (let n = 0; n < 1500; n += 1) note(`10.0.${n >> 8}.${n & 255}`, 1);
  assert.equal(lines().length, 1001);
  t.mock.timers.tick(MINUTE);
  assert.deepEqual(lines().slice(1001), ['others 499']);
  note('10.9.9.9', 1);
  assert.equal(lines().at(-1), '10.9.9.9 1', 'there is room again');
});
