import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import { completed, lend } from '../support/consolidation.ts';
import { addMemory, allRows, decide, decided, listMemories, MEMORIES } from '../support/memories.ts';
import { outcome } from '../support/sign-in.ts';
import {
  addClient,
  addPerson,
  addTeam,
  archiveTeam,
  inTeam,
  type Ties,
  withoutRequestId,
} from '../support/team.ts';

const service = await openTestApp();

/** One decision that would be allowed, in both forms. */
function bothForms(memoryId: string): object[] {
  const decision = { action: 'update', memoryId, title: 'Taken' };
  return [decision, { decisions: [decision] }];
}

const archiveClient = (company: SignedIn, clientId: string) => company.ask.archiveClient(clientId);

describe('access to memories and decisions', () => {
  const FULL: Record<string, Ties> = {
    'a Company Owner': { companyRole: 'owner' },
    'a Company Admin with a full grant': { companyRole: 'admin', companyGrant: 'full' },
    'a Team Owner': { teamRole: 'owner' },
    'a Team Admin': { teamRole: 'admin' },
  };
  for (const [who, ties] of Object.entries(FULL)) {
    test(`${who} can list and decide memories in the Team and in every client`, async () => {
      const company = await service.company();
      const clientId = await addClient(service, company);
      const person = await addPerson(service, company, ties);
      const inOther = await addMemory(company, 'published');
      const inClient = await addMemory(company, 'published', {}, clientId);
      assert.deepEqual(columns(await listMemories(person), 'id', 'layer', 'clientId'), [
        [inClient.id, 'client', clientId],
        [inOther.id, 'team', null],
      ]);
      for (const { id } of [inOther, inClient]) {
        const updated = await decided(person, { action: 'update', memoryId: id, title: 'Taken' });
        assert.deepEqual([updated.createdBy, updated.decidedBy], [company.ownerId, person.userId]);
      }
    });
  }

  const PARTIAL: Record<string, [Ties, string]> = {
    'a Team Member': [{ teamRole: 'member' }, '403 full_access_required'],
    'a Company Admin with a read grant': [
      { companyRole: 'admin', companyGrant: 'read' },
      '403 full_access_required',
    ],
    'a Company Admin without a grant': [{ companyRole: 'admin' }, '403 team_forbidden'],
    'a Company member outside the Team': [{}, '403 team_forbidden'],
  };
  for (const [who, [ties, refusal]] of Object.entries(PARTIAL)) {
    test(`${who} cannot list or decide memories, whatever the request`, async () => {
      const company = await service.company();
      const clientId = await addClient(service, company);
      const clients = ties.teamRole === undefined ? {} : { [clientId]: 'write' as const };
      const person = await addPerson(service, company, { ...ties, clients });
      const memory = await addMemory(company, 'published', {}, clientId);
      const before = await allRows(service, company);
      // Refused before the form of the body is looked at, and before any memory is.
      for (const body of [
        ...bothForms(memory.id),
        {},
        { decisions: [] },
        { action: 'x', memoryId: newId() },
      ]) {
        assert.equal(outcome(await decide(person, body)), refusal);
      }
      for (const query of ['', '?state=review', '?state=x', `?clientId=${clientId}`]) {
        assert.equal(outcome(await person.send('GET', `${MEMORIES}${query}`)), refusal);
      }
      assert.deepEqual(await allRows(service, company), before);
    });
  }

  test('a caller who is not signed in gets 401', async () => {
    const company = await service.company();
    const nobody = callerOf(service.app, { authorization: 'Bearer x', 'memory-team': company.teamId });
    assert.equal(outcome(await decide(nobody, {})), '401 unauthenticated');
    assert.equal(outcome(await nobody.ask.listMemories()), '401 unauthenticated');
  });
});

test('a memory names the member who made it and the person who decided on it', async () => {
  const company = await service.company();
  const member = await addPerson(service, company, { teamRole: 'member' });
  const admin = await addPerson(service, company, { teamRole: 'admin' });
  const { batchId, captureIds } = await lend(member);
  const item = { captureIds, action: 'review', title: 'A memory', content: 'A fact.' } as const;
  await completed(member, batchId, [item]);
  const [review] = await listMemories(company);
  assert.deepEqual(
    [review?.createdBy, review?.decidedBy, review?.decidedAt, review?.version],
    [member.userId, null, null, 1],
  );
  const published = await decided(admin, { action: 'publish', memoryId: review!.id });
  assert.deepEqual([published.createdBy, published.decidedBy], [member.userId, admin.userId]);
  assert.ok(published.decidedAt !== null && published.decidedAt >= published.createdAt);
  const deleted = await decided(company, { action: 'delete', memoryId: review!.id });
  assert.deepEqual([deleted.createdBy, deleted.decidedBy], [member.userId, company.ownerId]);
  assert.ok(deleted.decidedAt !== null && deleted.decidedAt >= published.decidedAt);
});

describe('a memory that the caller cannot read', () => {
  test('a decision returns the same 404 for a memory that is unknown or of another Team or Company', async () => {
    const company = await service.company();
    const inOther = inTeam(company, await addTeam(service, company));
    const gone = await addClient(service, company);
    const ids = [newId(), 'x', '', `${newId()}0`, '🦊', "'; --"];
    ids.push((await addMemory(await service.company(), 'published')).id);
    ids.push((await addMemory(inOther, 'published')).id);
    ids.push((await addMemory(company, 'published', {}, gone)).id);
    assert.equal((await archiveClient(company, gone)).statusCode, 204);
    const bodies = new Set<string>();
    for (const memoryId of ids) {
      for (const fields of [
        { action: 'publish' },
        { action: 'discard' },
        { action: 'update', title: 'Taken', version: 9 },
        { action: 'delete' },
      ]) {
        const answer = await decide(company, { ...fields, memoryId });
        assert.equal(outcome(answer), '404 not_found', memoryId);
        bodies.add(withoutRequestId(answer.body));
      }
    }
    assert.equal(bodies.size, 1);
    const answer = await decide(company, {
      decisions: ids.map((memoryId) => ({ action: 'delete', memoryId })),
    });
    const { results } = answer.json<{ results: object[] }>();
    const alike = results.map((result) => withoutRequestId(JSON.stringify(result)));
    assert.deepEqual([alike.length, new Set(alike).size], [ids.length, 1]);
  });

  test('a memory of an archived client is in no list until the client is active again', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const memory = await addMemory(company, 'published', {}, clientId);
    const review = await addMemory(company, 'review', {}, clientId);
    assert.equal((await archiveClient(company, clientId)).statusCode, 204);
    assert.deepEqual(await listMemories(company), []);
    assert.deepEqual(await listMemories(company, `?sourceId=${memory.sourceId}`), []);
    const narrowed = await company.ask.listMemories({ clientId });
    assert.equal(outcome(narrowed), '403 scope_forbidden');
    await company.ask.changeClient(clientId, { state: 'active' });
    assert.deepEqual(column(await listMemories(company), 'id'), [review.id, memory.id]);
    await decided(company, { action: 'publish', memoryId: review.id });
  });
});

describe('memories of an archived Team', () => {
  test('an archived Team lists its memories and rejects decisions with 409', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published');
    await archiveTeam(service, company.teamId);
    const before = await allRows(service, company);
    for (const body of bothForms(memory.id)) {
      assert.equal(outcome(await decide(company, body)), '409 team_archived');
    }
    // What is not there is said first, and before that what is wrong with the body.
    const unknown = { action: 'delete', memoryId: newId() };
    assert.equal(outcome(await decide(company, unknown)), '404 not_found');
    assert.equal(outcome(await decide(company, { action: 'update' })), '400 invalid_request');
    assert.equal(outcome(await decide(company, { decisions: [] })), '400 invalid_request');
    assert.deepEqual(await allRows(service, company), before);
    assert.deepEqual(column(await listMemories(company), 'id'), [memory.id]);
  });
});
