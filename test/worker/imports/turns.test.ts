import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { createLogger } from '../../../shared/logger.ts';
import { MAX_IMPORTS_PER_REQUEST } from '../../../shared/schemas/imports.ts';
import { type RunningWorker, startWorker } from '../../../worker/worker.ts';
import type { SignedIn } from '../../support/app.ts';
import { databaseUrl } from '../../support/needs/database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { importTexts, isOver, MISBEHAVE, untilImport } from '../../support/running-imports.ts';
import { addTeam, inTeam } from '../../support/team.ts';

/** A database of its own: nobody else's imports wait in it. */
const service = await openOwnTestApp();
const { database } = service;

/** How many imports a Team has waiting. It was tried with 10,000, which take minutes to send. */
const MANY = databaseUrl === undefined ? 400 : 2000;

async function sendMany(company: SignedIn, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < texts.length; first += MAX_IMPORTS_PER_REQUEST) {
    ids.push(...(await importTexts(company, texts.slice(first, first + MAX_IMPORTS_PER_REQUEST))));
  }
  return ids;
}

/** How many jobs of a Team were begun after a job of another was queued and before that was begun. */
async function begunBefore({ teamId }: SignedIn, importId: string | undefined): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(j.id)::int as n from pgboss.job own
       left join pgboss.job j on j.name = own.name and j.data->>'teamId' = $1
        and j.started_on > own.created_on and j.started_on < own.started_on
      where own.name = 'import.process' and own.data->>'importId' = $2`,
    [teamId, importId],
  );
  assert.ok(row);
  return row.n;
}

describe('one Team with very many waiting imports', () => {
  let worker: RunningWorker;
  const texts = Array.from({ length: MANY }, (_, n) => `a note with number ${n}`);
  const [busy, other] = [service.company(), service.company()];
  before(async () => {
    await sendMany(await busy, texts);
    worker = await startWorker(
      { ...service, logger: createLogger('silent', 'test') },
      // Short, yet long enough for a file that ends to be read on a busy machine.
      { reading: MISBEHAVE, yieldAfterMs: 1000 },
    );
  });
  after(() => worker.stop());

  test('takes turns with the imports of another Team', async (t) => {
    const ids = await importTexts(
      await other,
      texts.slice(0, 30).map((text) => `${text} of another`),
    );
    for (const id of ids) await untilImport(await other, id, t.signal, isOver);
    const ahead = await begunBefore(await busy, ids.at(-1));
    assert.ok(ahead <= ids.length + MANY / 10, `${ahead} of ${MANY} were begun before its last`);
  });

  it('shares places with other Companies, not with other Teams', async (t) => {
    const [slow, quick] = [await service.company(), await service.company()];
    for (let n = 0; n < 4; n += 1) {
      await sendMany(inTeam(slow, await addTeam(service, slow)), ['waiting', 'waiting']);
    }
    const [id] = await importTexts(quick, ['a line']);
    assert.equal((await untilImport(quick, id, t.signal, isOver)).state, 'completed');
  });

  it('does not block an import when files of more Companies than places never end', async (t) => {
    const quick = await service.company();
    for (let n = 0; n < 5; n += 1) await sendMany(await service.company(), ['waiting', 'waiting']);
    for (let n = 0; n < 3; n += 1) {
      const [id] = await importTexts(quick, [`line ${n}`]);
      assert.equal((await untilImport(quick, id, t.signal, isOver)).state, 'completed');
    }
  });

  it('reads a file to its end after it gave way to others', async (t) => {
    const slow = await service.company();
    const [id] = await importTexts(slow, ['slow 1500']);
    // Only a long one is cut off for others; it is read among the long ones, or in one go where none waits by then.
    await database.query(`update pgboss.job set state = 'cancelled' where data->>'companyId' <> $1`, [
      slow.companyId,
    ]);
    const done = await untilImport(slow, id, t.signal, isOver);
    assert.equal(done.state, 'completed');
  });
});
