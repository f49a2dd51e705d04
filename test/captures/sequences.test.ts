import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Capture } from '../../shared/schemas/captures.ts';
import { openTestApp } from '../support/app.ts';
import { captureStates, sendCapture, stageCapture } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();

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
