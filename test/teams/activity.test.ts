import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storeUses } from '../../core/feedback/commands.ts';
import { transaction } from '../../db/driver/database.ts';
import { readTeamActivity } from '../../db/queries/activity.ts';
import type { TeamActivity } from '../../shared/schemas/activity.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { importNow } from '../support/import-now.ts';
import { addMemory, decided } from '../support/memories.ts';
import { ownerScope } from '../support/scopes.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

const read = async (caller: Caller, query = ''): Promise<TeamActivity> => {
  await storeUses(database);
  const answer = await caller.send('GET', `/v1/team/activity${query}`);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<TeamActivity>();
};

/** Today without what is 0. */
async function today(caller: Caller): Promise<Record<string, unknown>> {
  const { days } = await read(caller);
  const { day, ...counts } = days.at(-1)!;
  assert.equal(day, new Date().toISOString().slice(0, 10));
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

const search = (caller: Caller, query: string) =>
  caller.api.searchMemory({ query, embeddingMode: 'keyword', scope: {} });

/** Seals the events of a Company, as the worker does every minute. */
const seal = ({ companyId }: SignedIn) => database.query('select memory.seal_audit($1, 1000)', [companyId]);

describe('the use of a Team', () => {
  test('counts what is done today, once, before and after it is sealed', async () => {
    const company = await service.company();
    assert.deepEqual(await today(company), {});
    const { id } = await addSource(company, { text: 'The heron stands.' });
    const { hits, queryId } = await search(company, 'heron');
    await search(company, 'walrus');
    await company.api.getSource(id);
    await company.api.expandChunk({ chunkId: hits[0]!.chunk_id });
    await company.api.giveFeedback({ queryId, chunkId: hits[0]!.chunk_id, verdict: 'useful' });
    // A memory in review is made of a capture.
    const memory = await addMemory(company, 'review');
    await decided(company, { action: 'publish', memoryId: memory.id });
    await importNow(service, company, { filename: 'a.txt', text: 'A seal swims.' });
    const expected = {
      searches: 2,
      searchesWithoutHit: 1,
      opened: 2,
      ingested: 1,
      imported: 1,
      captured: 1,
      published: 1,
      feedback: 1,
    };
    assert.deepEqual(await today(company), expected);
    await seal(company);
    assert.deepEqual(await today(company), expected);
    await seal(company);
    await search(company, 'heron');
    assert.deepEqual(await today(company), { ...expected, searches: 3 });
    const other = inTeam(company, await addTeam(service, company));
    assert.deepEqual(await today(other), {});
  });

  test('a batch that fails is counted by the next one', async () => {
    const company = await service.company();
    await search(company, 'heron');
    await assert.rejects(
      database.transaction(async ({ query }) => {
        await query('select memory.seal_audit($1, 1000)', [company.companyId]);
        throw new Error('killed before the commit');
      }),
    );
    assert.deepEqual(await today(company), { searches: 1, searchesWithoutHit: 1 });
    await seal(company);
    assert.deepEqual(await today(company), { searches: 1, searchesWithoutHit: 1 });
  });

  test('has every day that was asked for, the oldest first', async () => {
    const company = await service.company();
    await database.query(
      `insert into memory.team_activity (team_id, day, searches)
       select $1, (now() at time zone 'UTC')::date - n, n from unnest(array[1, 2, 365]) n`,
      [company.teamId],
    );
    const searches = async (query: string) => (await read(company, query)).days.map((day) => day.searches);
    assert.deepEqual(await searches('?days=1'), [0]);
    assert.deepEqual(await searches('?days=3'), [2, 1, 0]);
    assert.equal((await searches('')).length, 30);
    const { days } = await read(company, '?days=366');
    assert.deepEqual([days.length, days[0]!.searches], [366, 365]);
    for (const [n, { day }] of days.entries()) {
      const since = new Date(Date.now() - (365 - n) * 86_400_000);
      assert.equal(day, since.toISOString().slice(0, 10));
    }
    for (const fault of ['0', '367', '1.5', 'x', '']) {
      const answer = await company.send('GET', `/v1/team/activity?days=${fault}`);
      assert.equal(outcome(answer), '400 invalid_request', fault);
    }
  });

  test('has the same days where the clock of the database changes at midnight', async () => {
    const company = await service.company();
    await search(company, 'heron');
    const expected = (await read(company, '?days=366')).days;
    const { days } = await transaction(database, ownerScope(company), async (tx) => {
      await tx.query("set local timezone = 'Africa/Cairo'");
      return readTeamActivity(tx, 366);
    });
    assert.deepEqual(days, expected);
  });

  test('shows what each agent token did, and how much it was given', async () => {
    const company = await service.company();
    const [busy, idle] = [
      await createAgent(service, company, company, { name: 'Busy' }),
      await createAgent(service, company, company, { name: 'Idle' }),
    ];
    const { id } = await addSource(busy, { text: 'The heron stands. 🐦' });
    await search(busy, 'heron');
    await busy.api.getSource(id);
    await search(company, 'heron');
    const { tokens } = await read(busy);
    assert.deepEqual(tokens, [
      { tokenId: busy.record.id, name: 'Busy', searches: 1, writes: 1, charactersReturned: 2 * 19 },
    ]);
    await company.api.revokeToken(busy.record.id);
    await seal(company);
    assert.equal((await read(company)).tokens[0]!.name, 'Busy');
    assert.deepEqual((await read(idle)).tokens.length, 1);
  });

  test('is refused to an agent token that is limited to clients', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const limited = await createAgent(service, company, company, { clientIds: [clientId] });
    assert.equal(outcome(await limited.send('GET', '/v1/team/activity')), '403 forbidden');
  });
});
