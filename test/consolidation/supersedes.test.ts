import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import {
  complete,
  completed,
  foundByWords,
  type GivenItem,
  keep,
  lend,
  traces,
} from '../support/consolidation.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';

const service = await openTestApp();

const OLD = 'The ocelot sleeps by day.';
const NEW = 'The gibbon swings by night.';

/** An item that takes the place of a memory. */
const successor = (captureIds: string[], supersedes: string, more: GivenItem = {}): GivenItem => ({
  captureIds,
  action: 'publish',
  title: 'Successor',
  content: NEW,
  supersedes,
  ...more,
});

test('a complete returns 400 if two items supersede one memory and accepts two items with two memories', async () => {
  const company = await service.company();
  const [one, two] = [await keep(company, { content: OLD }), await keep(company, { content: OLD })];
  const { batchId, captureIds } = await lend(company);
  const before = await traces(service, company);
  const same = [successor(captureIds, one.memoryId), successor(captureIds, one.memoryId.toUpperCase())];
  const answer = await complete(company, batchId, same);
  assertInvalid(answer, '/items/1/supersedes');
  assert.deepEqual(await traces(service, company), before);
  await completed(company, batchId, [
    successor(captureIds, two.memoryId),
    successor(captureIds, one.memoryId, { content: 'The puma climbs.' }),
  ]);
  assert.deepEqual((await foundByWords(company, 'ocelot gibbon puma')).sort(), [NEW, 'The puma climbs.']);
});

test('five completes that supersede the same memory at the same time succeed once', async () => {
  const company = await service.company();
  const old = await keep(company, { content: OLD });
  const lents = [];
  for (let n = 0; n < 5; n++) lents.push(await lend(company));
  const answers = await Promise.all(
    lents.map(({ batchId, captureIds }) => complete(company, batchId, [successor(captureIds, old.memoryId)])),
  );
  const refused = Array.from({ length: 4 }, () => '409 conflict');
  assert.deepEqual(answers.map(outcome).sort(), ['200', ...refused]);
  assert.deepEqual(await foundByWords(company, 'ocelot gibbon'), [NEW]);
});

test('two completes that supersede the same memories in opposite order do not deadlock', async () => {
  const company = await service.company();
  const old = [await keep(company, { content: OLD }), await keep(company, { content: OLD })].map(
    ({ memoryId }) => memoryId,
  );
  const lents = [await lend(company), await lend(company)];
  const answers = await Promise.all(
    lents.map(({ batchId, captureIds }, n) =>
      complete(
        company,
        batchId,
        (n === 0 ? old : old.toReversed()).map((id) => successor(captureIds, id)),
      ),
    ),
  );
  assert.deepEqual(answers.map(outcome).sort(), ['200', '409 conflict']);
});
