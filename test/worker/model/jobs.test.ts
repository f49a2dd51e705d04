import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../../shared/logger.ts';
import { openModelJobs } from '../../../worker/jobs/embeddings.ts';
import { coalesceRuns } from '../../../worker/run-job.ts';

function openJobs() {
  const done: string[] = [];
  const now = { ready: false, broken: false };
  const step = (name: string) => async () => {
    done.push(name);
    if (now.broken) throw new Error('the queue does not answer');
  };
  const jobs = openModelJobs({
    isReady: () => now.ready,
    startDequeuing: step('take'),
    stopDequeuing: step('leave'),
    logger: createLogger('silent', 'test'),
  });
  const become = async (ready: boolean) => {
    now.ready = ready;
    jobs.adjust();
    await new Promise(setImmediate);
  };
  return { jobs, done, now, become };
}

test('jobs of the model run while the model is ready, and are left to other workers otherwise', async () => {
  const { jobs, done, become } = openJobs();
  for (const ready of [false, true, true, false, false, true]) await become(ready);
  assert.deepEqual(done, ['take', 'leave', 'take']);
  await jobs.stop();
  await become(false);
  assert.deepEqual(done, ['take', 'leave', 'take']);
});

test('several requests during a run cause one more run', async () => {
  let times = 0;
  let held = Promise.withResolvers<void>();
  const saying = coalesceRuns(async () => {
    times += 1;
    await held.promise;
  });
  await saying.done();
  for (let n = 0; n < 5; n += 1) saying.request();
  assert.equal(times, 1);
  const first = held;
  held = Promise.withResolvers();
  first.resolve();
  await new Promise(setImmediate);
  assert.equal(times, 2);
  held.resolve();
  await saying.done();
  assert.equal(times, 2);
  saying.request();
  await saying.done();
  assert.equal(times, 3);
});
