import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onceAMinute } from '../../api/http/once-a-minute.ts';

test('a log line is due the first time and then at most once a minute', (t) => {
  let clock = 0;
  t.mock.method(performance, 'now', () => clock);
  const isDue = onceAMinute();
  const dueAt = (at: number) => {
    clock = at;
    return isDue();
  };
  const asked = [0, 1, 59_999, 60_000, 60_001, 119_999, 500_000, 559_999, 560_000];
  assert.deepEqual(asked.filter(dueAt), [0, 60_000, 500_000, 560_000]);
  assert.ok(onceAMinute()(), 'each line has a minute of its own');
});
