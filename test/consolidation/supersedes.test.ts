import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import {
  complete,
  completed,
  foundByWords,
  type GivenItem,
  keep,
  lend,
  traces,
} from '../support/consolidation.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { decided } from '../support/memories.ts';
import { duringPause, openPausedApp } from '../support/paused-app.ts';
import { assertInvalid, assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, inTeam } from '../support/team.ts';

/** The first transaction resolves the caller, the second completes the batch. */
const BEFORE_COMPLETE = { transaction: 2 };

const service = await openTestApp();
const { database } = service;

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

interface Stored {
  state: string;
  version: number;
  supersedes: string | null;
  supersededBy: string | null;
  source: string | null;
}

async function stored(memoryId: string): Promise<Stored> {
  const [row] = await database.query<Stored>(
    `select m.state, m.version, m.supersedes, m.superseded_by as "supersededBy", s.state as source
       from memory.memory_item m left join memory.source s on s.team_id = m.team_id and s.id = m.source_id
      where m.id = $1`,
    [memoryId],
  );
  assert.ok(row);
  return row;
}

describe('an item that supersedes a memory', () => {
  test('the old memory is archived when the item is published, and searches find only the new one', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    for (const layer of [null, clientId]) {
      const old = await keep(company, { content: `${OLD} ${layer}` }, layer);
      const { batchId, captureIds } = await lend(company, [layer]);
      const items = [successor(captureIds, old.memoryId.toUpperCase(), { content: `${NEW} ${layer}` })];
      const [result] = await completed(company, batchId, items);
      const memoryId = result?.memoryId ?? '';
      assert.deepEqual(await stored(memoryId), {
        state: 'published',
        version: 1,
        supersedes: old.memoryId,
        supersededBy: null,
        source: 'active',
      });
      assert.deepEqual(await stored(old.memoryId), {
        state: 'archived',
        version: 2,
        supersedes: null,
        supersededBy: memoryId,
        source: 'archived',
      });
      assert.deepEqual(await foundByWords(company, 'ocelot'), []);
      // The same again archives nothing more.
      assert.deepEqual(await completed(company, batchId, items), [result]);
    }
    const found = await foundByWords(company, 'gibbon');
    assert.deepEqual(found.sort(), [`${NEW} ${clientId}`, `${NEW} ${null}`].sort());
  });

  test('the old memory is not in the list of similar memories', async () => {
    const company = await service.company();
    const [old, other] = [await keep(company, { content: OLD }), await keep(company, { content: OLD })];
    const { batchId, captureIds } = await lend(company);
    const [result] = await completed(company, batchId, [
      successor(captureIds, old.memoryId, { content: OLD }),
    ]);
    assert.deepEqual(column(result?.similar ?? [], 'memoryId'), [other.memoryId]);
  });

  test('records one event for each memory, and each event names the other memory', async () => {
    const company = await service.company();
    const old = await keep(company, { content: OLD });
    const { batchId, captureIds } = await lend(company);
    const { events, text } = await recordedBy(service, company, () =>
      completed(company, batchId, [successor(captureIds, old.memoryId)]),
    );
    const [memory] = events.filter(({ kind }) => kind === 'memory.publish');
    assert.deepEqual(events.map(({ kind, subjectId }) => [kind, subjectId]).sort(), [
      ['memory.delete', old.memoryId],
      ['memory.publish', memory?.subjectId],
    ]);
    assert.equal(memory?.detail['supersedes'], old.memoryId);
    const [archived] = events.filter(({ kind }) => kind === 'memory.delete');
    assert.equal(archived?.detail['supersededBy'], memory?.subjectId);
    assert.doesNotMatch(text, /ocelot|gibbon/i);
  });

  test('the old memory stays published if the complete fails', async (t) => {
    const company = await service.company();
    const old = await keep(company, { content: OLD });
    const { batchId, captureIds } = await lend(company);
    const before = await traces(service, company);
    const app = await openFailingApp(t, service, (statement) =>
      statement.includes('update memory.consolidation_batch set') ? databaseError('58030') : null,
    );
    const answer = await complete(via({ app }, company), batchId, [successor(captureIds, old.memoryId)]);
    assert.equal(outcome(answer), '500 internal_error');
    assert.equal((await stored(old.memoryId)).state, 'published');
    assert.deepEqual(await traces(service, company), before);
    assert.deepEqual(await foundByWords(company, 'ocelot gibbon'), [OLD]);
  });
});

describe('the supersedes field', () => {
  test('returns 403 for supersedes without Full access, also if it is lost while the request waits', async (t) => {
    const company = await service.company();
    const old = await keep(company, { content: OLD });
    const member = await addPerson(service, company, { teamRole: 'member' });
    const lent = await lend(member);
    for (const id of [old.memoryId, newId(), 'nonsense']) {
      const answer = await complete(member, lent.batchId, [successor(lent.captureIds, id)]);
      assert.equal(outcome(answer), '403 full_access_required');
    }
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    const own = await lend(admin);
    const answer = await duringPause(
      await openPausedApp(t, service, BEFORE_COMPLETE),
      (held) => complete(via(held, admin), own.batchId, [successor(own.captureIds, old.memoryId)]),
      () =>
        database.query(`update identity.team_member set role = 'member' where user_id = $1`, [admin.userId]),
    );
    assert.equal(outcome(answer), '403 full_access_required');
    assert.equal((await stored(old.memoryId)).state, 'published');
  });

  test('returns 400 for supersedes unless the action is publish', async () => {
    const company = await service.company();
    const old = await keep(company, { content: OLD });
    const { batchId, captureIds } = await lend(company);
    for (const action of ['review', 'discard'] as const) {
      const answer = await complete(company, batchId, [successor(captureIds, old.memoryId, { action })]);
      assertInvalid(answer, '/items/0/supersedes');
    }
  });

  test('returns 400 for superseding a memory of another layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const old = await keep(company, { content: OLD });
    const { batchId, captureIds } = await lend(company);
    const answer = await complete(company, batchId, [
      successor(captureIds, old.memoryId, { scope: { clientId } }),
    ]);
    assertInvalid(answer, '/items/0/supersedes');
    assert.equal((await stored(old.memoryId)).state, 'published');
  });

  test('returns the same 404 for superseding an unknown, malformed, foreign or hidden memory', async () => {
    const company = await service.company();
    const second = await addTeam(service, company);
    const elsewhere = inTeam(company, second);
    const clientId = await addClient(service, company);
    const hidden = await keep(company, { content: OLD }, clientId);
    await database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    const foreign = await keep(elsewhere, { content: OLD });
    const { batchId, captureIds } = await lend(company);
    await assertSameRefusal(
      '404 not_found',
      [newId(), 'nonsense', foreign.memoryId, hidden.memoryId].map((id) =>
        complete(company, batchId, [successor(captureIds, id)]),
      ),
    );
  });

  test('returns 404 for an empty supersedes', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const answer = await complete(company, batchId, [successor(captureIds, '')]);
    assert.equal(outcome(answer), '404 not_found');
  });

  test('returns 409 for superseding a memory that is not published', async () => {
    const company = await service.company();
    const make = async (action: 'publish' | 'review') =>
      (await keep(company, { content: OLD, action })).memoryId;
    const [waiting, discarded, archived] = [
      await make('review'),
      await make('review'),
      await make('publish'),
    ];
    await decided(company, { action: 'discard', memoryId: discarded });
    await decided(company, { action: 'delete', memoryId: archived });
    const { batchId, captureIds } = await lend(company);
    const before = await traces(service, company);
    for (const id of [waiting, discarded, archived]) {
      const answer = await complete(company, batchId, [successor(captureIds, id)]);
      assert.equal(outcome(answer), '409 conflict');
    }
    assert.deepEqual(await traces(service, company), before);
  });

  test('returns 400 if two items supersede one memory and accepts two items with two memories', async () => {
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
      lents.map(({ batchId, captureIds }) =>
        complete(company, batchId, [successor(captureIds, old.memoryId)]),
      ),
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
});
