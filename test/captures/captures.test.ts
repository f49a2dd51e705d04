import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Capture } from '../../shared/schemas/captures.ts';
import { openTestApp } from '../support/app.ts';
import { captureStates, claimBatch, expireBatch, sendCapture, stageCapture } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { claimAll, completed } from '../support/consolidation.ts';
import { decided } from '../support/memories.ts';
import { assertInvalid } from '../support/refusals.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();

describe('POST /v1/memory/captures', () => {
  test('returns 201 with all fields of the capture', async () => {
    const company = await service.company();
    const given = {
      sessionId: 'session 1',
      summary: 'Chose the blue one.',
      sequence: 3,
      startedAt: '2026-03-01T10:00:00.000Z',
      endedAt: '2026-03-01T10:30:00.250Z',
      metadata: { tool: 'x', files: ['a', { b: null }] },
    };
    const { id, createdAt, ...rest } = await stageCapture(company, given);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(rest, {
      ...given,
      state: 'staged',
      layer: 'team',
      clientId: null,
      occurredAt: null,
      createdBy: company.ownerId,
      createdWith: null,
    });
  });

  test('stages the capture in the client of the scope and fills absent fields with null or {}', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const capture = await stageCapture(company, {
      scope: { clientId: clientId.toUpperCase() },
    });
    const { layer, sequence, startedAt, endedAt, metadata } = capture;
    assert.deepEqual([layer, capture.clientId], ['client', clientId]);
    assert.deepEqual([sequence, startedAt, endedAt, metadata], [null, null, null, {}]);
  });

  test('returns startedAt and endedAt in UTC, and compares them as times', async () => {
    const company = await service.company();
    const [early, late] = ['2026-01-01T12:00:00+02:00', '2026-01-01T11:00:00.7Z'];
    const { startedAt, endedAt } = await stageCapture(company, { startedAt: early, endedAt: late });
    assert.deepEqual([startedAt, endedAt], ['2026-01-01T10:00:00.000Z', '2026-01-01T11:00:00.700Z']);
    assertInvalid(await sendCapture(company, { startedAt: late, endedAt: early }), '/endedAt');
  });
});

const list = (caller: Caller, query = {}) => caller.all.listCaptures(query);

const idsOf = async (caller: Caller, query = {}) => column(await list(caller, query), 'id');

async function summaryOf(caller: Caller, id: string): Promise<string | null> {
  const capture = await caller.api.getCapture(id);
  // The list shows the same.
  assert.deepEqual(
    (await list(caller)).find((listed) => listed.id === id),
    capture,
  );
  return capture.summary;
}

describe('GET /v1/memory/captures', () => {
  test('filters by state and session; a capture whose lease has expired is staged', async () => {
    const company = await service.company();
    const first = await stageCapture(company, { sessionId: 'one' });
    const batch = await claimBatch(company);
    const second = await stageCapture(company, { sessionId: 'two' });
    assert.deepEqual(await idsOf(company, { state: 'claimed' }), [first.id]);
    assert.deepEqual(await idsOf(company, { state: 'staged' }), [second.id]);
    assert.deepEqual(await idsOf(company, { sessionId: 'one' }), [first.id]);
    assert.deepEqual(await idsOf(company, { sessionId: 'one', state: 'staged' }), []);
    await expireBatch(service, batch?.id ?? '');
    assert.deepEqual(await idsOf(company, { state: 'staged' }), [second.id, first.id]);
    assert.deepEqual(await idsOf(company, { state: 'completed' }), []);
  });
});

describe('the summary of a listed capture', () => {
  test('is returned to its sender always, and with Full access while a memory refers to it', async () => {
    const company = await service.company();
    const anna = await addPerson(service, company, { teamRole: 'member' });
    const { id } = await stageCapture(anna, { summary: 'Learned the port.' });
    const shown = async () => {
      assert.equal(await summaryOf(anna, id), 'Learned the port.');
      return (await summaryOf(company, id)) !== null;
    };
    assert.equal(await shown(), false);
    const { batchId, captureIds } = await claimAll(company);
    assert.equal(await shown(), false);
    const item = { captureIds, action: 'review', title: 'A memory', content: 'A fact.' } as const;
    const [result] = await completed(company, batchId, [item]);
    const memoryId = result?.memoryId ?? '';
    assert.equal(await shown(), true);
    for (const [action, expected] of [
      ['discard', false],
      ['reopen', true],
      ['publish', true],
      ['delete', false],
    ] as const) {
      await decided(company, { action, memoryId });
      assert.equal(await shown(), expected, action);
    }
  });

  test('is returned for a memory of another layer only while the caller can read that layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const anna = await addPerson(service, company, { teamRole: 'member' });
    const { id } = await stageCapture(anna, { summary: 'Learned the port.' });
    const { batchId, captureIds } = await claimAll(company);
    await completed(company, batchId, [
      { captureIds, action: 'publish', title: 'A memory', content: 'A fact.', scope: { clientId } },
    ]);
    assert.equal(await summaryOf(company, id), 'Learned the port.');
    await service.database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    assert.equal(await summaryOf(company, id), null);
  });
});

describe('the memories of a listed capture', () => {
  test('are those that the caller can read: published ones, and with Full access the others too', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const anna = await addPerson(service, company, { teamRole: 'member' });
    await stageCapture(anna);
    const { batchId, captureIds } = await claimAll(company);
    const item = { captureIds, action: 'publish', title: 'A memory', content: 'A fact.' } as const;
    const results = await completed(company, batchId, [
      item,
      { ...item, scope: { clientId } },
      { ...item, action: 'review' },
    ]);
    const [published, ofClient, inReview] = column(results, 'memoryId');
    const named = async (caller: Caller) => (await list(caller)).map(({ memoryIds }) => memoryIds);
    assert.deepEqual(await named(anna), [[published]]);
    assert.deepEqual((await named(company))[0]?.toSorted(), [published, ofClient, inReview].toSorted());
    await decided(company, { action: 'delete', memoryId: published });
    assert.deepEqual(await named(anna), [undefined]);
    assert.equal((await named(company))[0]?.length, 3);
  });
});

const BLOCK = { sessionId: 'session', sequence: 1, summary: 'The first telling.' };

/** Stages a repeated capture and returns the capture of the response. */
async function stageAgain(caller: Caller, fields: object): Promise<Capture> {
  const answer = await sendCapture(caller, fields);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ capture: Capture }>().capture;
}

test('twenty requests with one sequence at the same time in two processes stage one capture', async (t) => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const second = await openSecondApp(t, service);
  // Some requests name another scope. All give one capture, in the scope of the first.
  const scopes = [{}, { clientId }];
  // Open connections can decide the first races, so there are several.
  for (const sequence of [1, 2, 3, 4, 5]) {
    const { events } = await recordedBy(service, company, async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => {
          const block = { ...BLOCK, sequence, scope: scopes[(n >> 1) % 2] };
          return sendCapture(via(n % 2 === 0 ? service : second, company), block);
        }),
      );
      const statuses = answers.map((answer) => answer.statusCode).sort();
      assert.deepEqual(statuses, [...Array.from({ length: 19 }, () => 200), 201]);
      const told = answers.map((answer) => answer.json<{ capture: Capture }>().capture);
      for (const capture of told) assert.deepEqual(capture, told[0]);
    });
    assert.deepEqual(column(events, 'kind'), ['memory.capture']);
    assert.deepEqual(await captureStates(service, company), { staged: sequence });
  }
});

test('another author, Team, session or number creates a capture of its own', async () => {
  const company = await service.company();
  const colleague = await addPerson(service, company, { teamRole: 'member' });
  const elsewhere = inTeam(company, await addTeam(service, company));
  const staged = [
    await stageCapture(company, BLOCK),
    await stageCapture(colleague, BLOCK),
    await stageCapture(elsewhere, BLOCK),
    await stageCapture(company, { ...BLOCK, sequence: 2 }),
    await stageCapture(company, { ...BLOCK, sessionId: 'Session' }),
    await stageCapture(company, { ...BLOCK, sessionId: 'session ' }),
    await stageCapture(company, { ...BLOCK, sessionId: '1 session', sequence: 1 }),
  ];
  assert.equal(new Set(staged.map(({ id }) => id)).size, staged.length);
});

describe('a repeated session and sequence in another scope', () => {
  /** A member who can write two clients, and functions that change the grant for the first. */
  async function cast() {
    const company = await service.company();
    const [first, second] = [await addClient(service, company), await addClient(service, company)];
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [first]: 'write', [second]: 'write' },
    });
    const grant = (access: 'read' | 'write') => company.api.giveClientGrant(member.userId, first, { access });
    const revoke = () => company.api.revokeClientGrant(member.userId, first);
    return { company, member, first, second, grant, revoke };
  }

  test('a repeated sequence returns the first capture while its author can read its client', async () => {
    const { company, member, first, second, grant } = await cast();
    const capture = await stageCapture(member, { ...BLOCK, scope: { clientId: first } });
    for (const scope of [{}, { clientId: second }, { clientId: first }]) {
      assert.deepEqual(await stageAgain(member, { ...BLOCK, scope }), capture);
    }
    await grant('read');
    assert.deepEqual(await stageAgain(member, BLOCK), capture, 'still read');
    const refused = await sendCapture(member, { ...BLOCK, scope: { clientId: first } });
    assert.equal(outcome(refused), '403 scope_forbidden');
    assert.deepEqual(await captureStates(service, company), { staged: 1 });
  });

  test('a repeated sequence creates a new capture if the client of the first is out of reach', async () => {
    const { company, member, first, second, grant, revoke } = await cast();
    const hidden = await stageCapture(member, { ...BLOCK, scope: { clientId: first } });
    await revoke();
    const refused = await sendCapture(member, { ...BLOCK, scope: { clientId: first } });
    assert.equal(outcome(refused), '403 scope_forbidden');
    const retold = { ...BLOCK, summary: 'Told otherwise.' };
    const shown = await stageCapture(member, retold);
    assert.deepEqual([shown.clientId, shown.summary], [null, 'Told otherwise.']);
    assert.deepEqual(await stageAgain(member, { ...retold, scope: { clientId: second } }), shown);
    assert.deepEqual(await captureStates(service, company), { staged: 2 });

    // The first capture is returned again once its client is within reach.
    await grant('write');
    for (const scope of [{}, { clientId: first }]) {
      assert.deepEqual(await stageAgain(member, { ...BLOCK, scope }), hidden);
    }
  });

  test('an Idempotency-Key does not replay the first capture after it is out of reach', async () => {
    const { member, first, revoke } = await cast();
    const capture = await stageCapture(member, { ...BLOCK, scope: { clientId: first } });
    const again = { ...BLOCK, summary: 'The second telling.' };
    const send = () => sendCapture(member, again, { 'idempotency-key': 'k' });
    assert.deepEqual((await send()).json(), { capture, redactions: [] });
    await revoke();
    const answer = await send();
    assert.doesNotMatch(answer.body, /The first telling/);
    assert.ok(!answer.body.includes(capture.id), answer.body);
  });
});
