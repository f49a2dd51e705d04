import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { claimAll, complete, completed, type GivenItem, lend, traces } from '../support/consolidation.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';

const service = await openTestApp();

const OCELOT = { title: 'Ocelots', content: 'The ocelot sleeps by day.' };

test('a complete names the first invalid field, changes nothing and keeps the batch open', async () => {
  const company = await service.company();
  const { batchId, captureIds } = await lend(company, [null, null]);
  await stageCapture(company);
  const [foreign] = (await claimAll(company)).captureIds;
  const before = await traces(service, company);
  const good: GivenItem = { captureIds, action: 'publish', ...OCELOT };
  const faults: [path: string, item: GivenItem][] = [
    ['/items/1/title', { ...good, title: undefined }],
    ['/items/1/content', { ...good, content: undefined }],
    ['/items/1/title', { ...good, action: 'review', title: undefined }],
    ['/items/1/content', { ...good, action: 'review', content: undefined }],
    ['/items/1/metadata', { ...good, metadata: { long: 'x'.repeat(16 * 1024) } }],
    ['/items/1/captureIds', { ...good, captureIds: [...captureIds, foreign!] }],
    ['/items/1/captureIds', { ...good, captureIds: [...captureIds, newId()] }],
    ['/items/1/captureIds', { ...good, captureIds: ['nonsense'] }],
    ['/items/1/captureIds', { captureIds: [foreign!], action: 'discard' }],
  ];
  for (const [path, item] of faults) {
    assertInvalid(await complete(company, batchId, [good, item]), path);
  }
  assert.deepEqual(await traces(service, company), before);
  await completed(company, batchId, [good]);
});

test('a complete accepts 40 items and 8 MiB, and returns 413 for more bytes', async () => {
  const company = await service.company();
  const { batchId, captureIds } = await lend(company);
  const items = Array.from({ length: 40 }, () => ({ captureIds, action: 'discard' }));
  const body = JSON.stringify({ batchId, items });
  const send = (bytes: number) => company.ask.completeCaptures(body.padEnd(bytes));
  assert.equal(outcome(await send(8 * 1024 * 1024 + 1)), '413 payload_too_large');
  const answer = await send(8 * 1024 * 1024);
  assert.equal(answer.statusCode, 200, answer.body);
  assert.equal(answer.json<{ results: unknown[] }>().results.length, 40);
});

test('a complete enqueues a new count of the terms of the Team only if an item is published', async () => {
  const company = await service.company();
  for (const [action, jobs] of [
    ['review', 0],
    ['publish', 1],
  ] as const) {
    const { batchId, captureIds } = await lend(company);
    await completed(company, batchId, [
      { captureIds, action, ...OCELOT },
      { captureIds, action: 'discard' },
    ]);
    assert.equal((await traces(service, company)).jobs, jobs);
  }
});
