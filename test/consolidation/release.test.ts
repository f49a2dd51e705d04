import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Batch } from '../../shared/schemas/consolidation.ts';
import { openTestApp } from '../support/app.ts';
import {
  addCaptures,
  captureStates,
  claimBatch,
  claimedIds,
  expireBatch,
  stageCapture,
} from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { claimAll, complete, completed, lend, release, released, traces } from '../support/consolidation.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

describe('POST /v1/memory/consolidation/release', () => {
  test('returns the batch with its captures and the end of its lease, and stages the captures', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null]);
    const answer = await release(company, batchId.toUpperCase());
    assert.equal(answer.statusCode, 200, answer.body);
    const batch = answer.json<Batch>();
    assert.deepEqual(Object.keys(batch), ['id', 'captureIds', 'createdAt', 'expiresAt']);
    const [row] = await database.query<{ createdAt: Date; expiresAt: Date; expired: boolean }>(
      `select created_at as "createdAt", expires_at as "expiresAt", expires_at <= now() as expired
         from memory.consolidation_batch where id = $1`,
      [batchId],
    );
    assert.deepEqual(batch, {
      id: batchId,
      captureIds,
      createdAt: row?.createdAt.toISOString(),
      expiresAt: row?.expiresAt.toISOString(),
    });
    assert.equal(row?.expired, true);
    assert.deepEqual(await captureStates(service, company), { staged: 2 });
  });

  test('the captures can be claimed by another caller at once, before captures that are newer', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const { batchId, captureIds } = await lend(company, [null, null]);
    const newer = await addCaptures(service, company, 2);
    await released(company, batchId);
    assert.deepEqual(await claimedIds(other, { limit: 3 }), [...captureIds, newer[0]]);
    assert.deepEqual(await claimedIds(company), newer.slice(1));
  });

  test('an author without Full access can claim captures that an Owner released', async () => {
    const company = await service.company();
    const [author, another] = [
      await addPerson(service, company, { teamRole: 'member' }),
      await addPerson(service, company, { teamRole: 'member' }),
    ];
    const { batchId, captureIds } = await lend(author, [null], company);
    assert.equal(await claimBatch(author), null);
    await released(company, batchId);
    assert.equal(await claimBatch(another), null);
    assert.deepEqual(await claimedIds(author), captureIds);
  });

  test('captures can be released any number of times, and completed after that', async () => {
    const company = await service.company();
    const [id] = await addCaptures(service, company, 1);
    for (let n = 0; n < 10; n += 1) {
      const { batchId, captureIds } = await claimAll(company);
      assert.deepEqual(captureIds, [id]);
      assert.deepEqual((await released(company, batchId)).captureIds, [id]);
    }
    const { batchId, captureIds } = await claimAll(company);
    await completed(company, batchId, [{ captureIds, action: 'discard' }]);
    assert.deepEqual(await captureStates(service, company), { completed: 1 });
  });

  test('releases only the captures of this batch', async () => {
    const company = await service.company();
    await addCaptures(service, company, 4);
    const first = await claimBatch(company, { limit: 2 });
    const second = await claimAll(company);
    assert.ok(first);
    await released(company, first.id);
    assert.deepEqual(await captureStates(service, company), { claimed: 2, staged: 2 });
    await completed(company, second.batchId, []);
  });

  test('returns 400 without a batchId, and for one that is not text', async () => {
    const company = await service.company();
    for (const body of [{}, { batchId: 1 }, { batchId: null }]) {
      assertInvalid(await company.ask.releaseBatch(body), '/batchId');
    }
  });

  test('records one event for each layer, without the text of the captures', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const given = { summary: 'ocelot', sessionId: 'sesame' };
    const ofClient = await stageCapture(company, { ...given, scope: { clientId } });
    const ofTeam = [await stageCapture(company, given), await stageCapture(company, given)];
    const { batchId } = await claimAll(company);
    const { events, text } = await recordedBy(service, company, () => released(company, batchId));
    const event = {
      kind: 'memory.release',
      actorId: company.ownerId,
      teamId: company.teamId,
      subjectType: 'batch',
      subjectId: batchId,
    };
    assert.deepEqual(
      events.toSorted((a, b) => JSON.stringify(a.detail).length - JSON.stringify(b.detail).length),
      [
        { ...event, detail: { captureIds: [ofClient.id] } },
        { ...event, detail: { captureIds: ofTeam.map(({ id }) => id) } },
      ],
    );
    assert.doesNotMatch(text, /ocelot|sesame/);
  });
});

describe('a release of a batch that is not open', () => {
  test('returns 409 after the lease has expired, and leaves the captures to the next claim', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const { batchId } = await lend(company);
    await expireBatch(service, batchId);
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await release(company, batchId)), '409 batch_expired');
    });
    await claimAll(other);
    assert.equal(outcome(await release(company, batchId)), '409 batch_expired');
    assert.deepEqual(await captureStates(service, company), { claimed: 1 });
  });

  test('a second release and a complete return 409 after a release, even if others hold the captures', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const { batchId, captureIds } = await lend(company);
    await released(company, batchId);
    const late = async () => [
      outcome(await release(company, batchId)),
      outcome(await complete(company, batchId, [{ captureIds, action: 'discard' }])),
      outcome(await complete(company, batchId, [])),
    ];
    const refused = Array(3).fill('409 batch_expired');
    await recordsNothing(service, company, async () => assert.deepEqual(await late(), refused));
    const theirs = await claimAll(other);
    assert.deepEqual(await late(), refused);
    assert.deepEqual(await captureStates(service, company), { claimed: 1 });
    await completed(other, theirs.batchId, [{ captureIds, action: 'discard' }]);
    assert.deepEqual(await late(), refused);
  });

  test('returns 409 conflict after a complete, also after the lease, and repeats the complete', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null]);
    const items = [{ captureIds: captureIds.slice(0, 1), action: 'discard' as const }];
    const results = await completed(company, batchId, items);
    const before = await traces(service, company);
    assert.equal(outcome(await release(company, batchId)), '409 conflict');
    await expireBatch(service, batchId);
    assert.equal(outcome(await release(company, batchId)), '409 conflict');
    assert.deepEqual(await completed(company, batchId, items), results);
    assert.deepEqual(await traces(service, company), before);
  });

  test('returns 409 if others hold all captures, even if the batch itself is not expired', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const { batchId } = await lend(company);
    await database.query('update memory.capture set leased_until = now() where batch_id = $1', [batchId]);
    const theirs = await claimAll(other);
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await release(company, batchId)), '409 batch_expired');
    });
    await completed(other, theirs.batchId, []);
  });
});

describe('a release that fails in the database', () => {
  for (const [when, statement] of [
    ['before the captures are staged', /memory\.return_captures/],
    ['before the release is recorded', /insert into memory\.audit_event/],
  ] as const) {
    test(`a release that fails ${when} releases nothing and records no event`, async (t) => {
      const company = await service.company();
      const { batchId } = await lend(company);
      let reached = false;
      const app = await openFailingApp(t, service, (text) => {
        if (!statement.test(text)) return null;
        reached = true;
        return databaseError('XX000');
      });
      await recordsNothing(service, company, async () => {
        assert.equal(outcome(await release(via({ app }, company), batchId)), '500 internal_error');
      });
      assert.ok(reached);
      assert.deepEqual(await captureStates(service, company), { claimed: 1 });
      await released(company, batchId);
    });
  }
});
