import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../../../shared/logger.ts';
import type { Import } from '../../../shared/schemas/imports.ts';
import { startWorker } from '../../../worker/worker.ts';
import { buildTestApp, type SignedIn } from '../../support/app.ts';
import { assertWholeChain, sealAll, verifyAudit } from '../../support/audit-chain.ts';
import { via } from '../../support/client/client.ts';
import { endProcesses } from '../../support/needs/process.ts';
import { along, CLAIM } from '../../support/team.ts';
import { DIRECTIONS, dropServers, emptyDatabase, type Kind, move, preparedDatabase } from './databases.ts';

after(dropServers);
after(endProcesses);

/** What a search finds, with the figures of its ranking. */
async function search(company: SignedIn) {
  const body = { query: 'where does the tapir rest', scope: {}, queryEmbedding: along(3), ...CLAIM };
  return (await company.api.searchMemory(body)).hits;
}

/** The import when it has ended. */
async function ended(company: SignedIn, id: string): Promise<Import> {
  for (;;) {
    const now = await company.api.getImport(id);
    if (now.state !== 'queued' && now.state !== 'running') return now;
    await pause(20);
  }
}

/** Moves a service that has data, and starts it on the target. */
async function moveService(from: Kind, to: Kind) {
  const [source, target] = [await preparedDatabase(from), await emptyDatabase(to)];
  const before = await buildTestApp(await source.open(), source.url);
  const company = await before.company();
  for (const [index, text] of ['the tapir rests', 'the ibex climbs', 'a tapir and an ibex rest'].entries()) {
    const chunks = [{ text, embedding: along(index + 2) }];
    const answer = await via(before, company).ask.ingestSource({ title: text, chunks, ...CLAIM });
    assert.equal(answer.statusCode, 201, answer.body);
  }
  const items = [{ filename: 'late.txt', text: 'the capybara swims' }];
  const [queued] = (await via(before, company).api.importFiles({ items })).imports;
  assert.ok(queued);
  const found = await search(via(before, company));
  assert.equal(found.length, 3);
  await sealAll(before.database);
  const seals = await assertWholeChain(before.database, company);
  await before.close();
  await move(source, target);

  const moved = await buildTestApp(await target.open(), target.url, {}, { supervise: true });
  after(() => moved.close());
  return { from, to, company, queued, found, seals, moved };
}

// All before the first suite: node:test ends what a file has opened when the suites that it knows are done.
const cases = [];
for (const [from, to] of DIRECTIONS) cases.push(await moveService(from, to));

for (const { from, to, company, queued, found, seals, moved } of cases) {
  describe(`a service that was moved from ${from} to ${to}`, () => {
    test('finds the same, with the same ranking', async () => {
      assert.deepEqual(
        (await search(via(moved, company))).map(({ chunk_id, score }) => [chunk_id, score]),
        found.map(({ chunk_id, score }) => [chunk_id, score]),
      );
    });

    test('continues the audit chain', async () => {
      const verified = await verifyAudit(via(moved, company));
      assert.equal(verified.firstBreak, null);
      assert.deepEqual(verified.head?.sequence, seals.length);
      await sealAll(moved.database);
      const longer = await assertWholeChain(moved.database, company);
      assert.deepEqual(longer.slice(0, seals.length), seals);
      assert.ok(longer.length > seals.length);
    });

    test('completes an import that was queued before the move', async () => {
      const worker = await startWorker({ ...moved, logger: createLogger('silent', 'test') });
      try {
        const done = await ended(via(moved, company), queued.id);
        assert.deepEqual([done.state, done.attempts, done.error], ['completed', 1, null]);
      } finally {
        await worker.stop();
      }
    });
  });
}
