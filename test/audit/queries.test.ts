import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import type { SignedIn } from '../support/app.ts';
import { sealAll, tamper, verifyAudit } from '../support/audit-chain.ts';
import { searchByWords, sendFeedback } from '../support/feedback.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson, addTeam, archiveTeam, type Caller, inTeam } from '../support/team.ts';
import { tablesWith } from '../support/traces.ts';

/** Sealing goes over the events of all Companies, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

/** Stores a text, and searches for it with a query that is stored. */
async function searchStored(company: SignedIn, by: Caller = company) {
  await company.api.ingestSource({ title: 'x', text: 'heron lake' });
  const query = `heron of ${company.companyId}`;
  const { queryId, hits } = await searchByWords(by, query, { storeQueryText: true });
  const hitIds = hits.map((hit) => hit.chunk_id);
  assert.equal(hitIds.length, 1);
  return { query, queryId, hitIds };
}

async function listed(by: Caller, queryId: string, url = '/v1/company/audit'): Promise<AuditEvent> {
  const [event] = await by.readAll<AuditEvent>(`${url}?subjectId=${queryId}`);
  assert.ok(event);
  return event;
}

/** Seals everything and asserts that the audit of the Company verifies. */
async function assertVerifies(by: Caller): Promise<void> {
  await sealAll(database);
  const { unsealed, firstBreak } = await verifyAudit(by);
  assert.deepEqual([unsealed, firstBreak], [0, null]);
}

describe('what a search asked and found', () => {
  it('is listed with the event, in a Team and in the Company', async () => {
    const company = await service.company();
    const { query, queryId, hitIds } = await searchStored(company);
    for (const url of ['/v1/company/audit', '/v1/memory/audit']) {
      const { detail } = await listed(company, queryId, url);
      assert.deepEqual([detail['query'], detail['hitIds']], [query, hitIds]);
      assert.match(String(detail['queryHash']), /^[0-9a-f]{64}$/);
    }
    assert.deepEqual(await tablesWith(service, query), ['memory.audit_search']);
    const { queryId: unstored } = await searchByWords(company, 'heron lake');
    assert.ok(!('query' in (await listed(company, unstored)).detail), 'only if the search asks for it');
  });

  it('has other hashes for the same text and the same hits in each search', async () => {
    const company = await service.company();
    const { queryId } = await searchStored(company);
    const { queryId: again } = await searchByWords(company, `heron of ${company.companyId}`, {
      storeQueryText: true,
    });
    const [one, other] = [await listed(company, queryId), await listed(company, again)];
    assert.deepEqual(one.detail['hitIds'], other.detail['hitIds']);
    assert.notEqual(one.detail['hitsHash'], other.detail['hitsHash']);
    assert.notEqual(one.detail['queryHash'], other.detail['queryHash']);
  });

  it('loses its text and the salt when the person who asked is erased', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { teamRole: 'member' });
    const { query, queryId, hitIds } = await searchStored(company, person);
    const { query: kept, queryId: own } = await searchStored(company, company);
    assert.equal(query, kept, 'another person asked the same');
    await assertVerifies(company);
    const before = await listed(company, queryId);
    await company.api.eraseCompanyMember(person.userId);
    const { query: gone, ...rest } = before.detail;
    assert.equal(gone, query);
    assert.deepEqual((await listed(company, queryId)).detail, rest);
    assert.deepEqual(rest['hitIds'], hitIds);
    assert.equal((await listed(company, own)).detail['query'], query);
    const [row] = await database.query<object>(
      'select query, query_salt as salt from memory.audit_search where actor_id = $1',
      [person.userId],
    );
    assert.deepEqual(row, { query: null, salt: null });
    await assertVerifies(company);
  });

  it('loses its text in the transaction that deletes the Team', async () => {
    const company = await service.company();
    const { query, queryId } = await searchStored(company);
    const other = inTeam(company, await addTeam(service, company));
    const kept = await searchStored(other);
    await assertVerifies(company);
    await archiveTeam(service, company.teamId);
    await company.api.deleteTeam(company.teamId);
    const { detail } = await listed(company, queryId);
    assert.deepEqual([detail['query'], 'queryHash' in detail], [undefined, true]);
    assert.equal((await listed(company, kept.queryId)).detail['query'], query);
    await assertVerifies(company);
  });

  it('breaks the chain when it is changed, and not when it is deleted', async () => {
    for (const [column, value] of [
      ['query', `'another text'`],
      ['query_salt', `'\\x00'`],
      ['hit_ids', `hit_ids || gen_random_uuid()`],
      ['passage_ids', 'array[gen_random_uuid()]'],
      ['hits_salt', `'\\x00'`],
    ] as const) {
      const company = await service.company();
      const { queryId } = await searchByWords(company, 'heron', { storeQueryText: true });
      await assertVerifies(company);
      await database.query(`update memory.audit_search set ${column} = ${value} where team_id = $1`, [
        company.teamId,
      ]);
      const [event] = await database.query<{ id: string }>(
        'select id from memory.audit_event where subject_id = $1',
        [queryId],
      );
      assert.equal((await verifyAudit(company)).firstBreak, event?.id, column);
      await database.query('delete from memory.audit_search where team_id = $1', [company.teamId]);
      assert.equal((await verifyAudit(company)).firstBreak, null, column);
    }
    const company = await service.company();
    await searchByWords(company, 'heron', { storeQueryText: true });
    await assertVerifies(company);
    // The hash in the event is sealed with it.
    await tamper(database, (tx) =>
      tx.query(
        `update memory.audit_event set detail = detail - 'queryHash' where company_id = $1 and kind = 'memory.search'`,
        [company.companyId],
      ),
    );
    assert.notEqual((await verifyAudit(company)).firstBreak, null);
  });

  it('is what feedback needs: without it, the search is not found', async () => {
    const company = await service.company();
    const { queryId, hitIds } = await searchStored(company);
    const body = { queryId, chunkId: hitIds[0], verdict: 'useful' };
    assert.equal(outcome(await sendFeedback(company, body)), '201');
    await database.query('delete from memory.audit_search where team_id = $1', [company.teamId]);
    assert.equal(outcome(await sendFeedback(company, body)), '404 not_found');
  });
});

describe('an audit event of a search', () => {
  for (const key of ['query', 'hitIds', 'passageIds']) {
    it(`is refused with ${key} in its detail, as an earlier version would write it`, async () => {
      const company = await service.company();
      const { companyId, ownerId, teamId } = company;
      const insert = database.transaction(async (tx) => {
        await tx.query(
          `select set_config('role', 'memory_service', true), set_config('app.company', $1, true),
                  set_config('app.user', $2, true), set_config('app.team', $3, true)`,
          [companyId, ownerId, teamId],
        );
        await tx.query(
          `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type, detail)
           values ($1, gen_random_uuid(), 'memory.search', $2, $3, 'query', jsonb_build_object($4::text, 'x'))`,
          [companyId, ownerId, teamId, key],
        );
      });
      await assert.rejects(insert, { code: '42501', message: /row-level security/ });
    });
  }
});
