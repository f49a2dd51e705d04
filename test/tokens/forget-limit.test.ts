import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { v7 } from 'uuid';
import type { Permission } from '../../shared/permissions.ts';
import { type Agent, createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { recordsNothing } from '../support/company.ts';
import { callTool, toolOutcome } from '../support/mcp.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, readSource, removeSource } from '../support/source-library.ts';
import { addPerson, type Caller } from '../support/team.ts';

// Limits of requests are off here, as with MEMORY_RATE_LIMITS=off.
const service = await openTestApp({ MEMORY_RATE_LIMITS: 'off' });
const second = await openSecondApp({ after }, service);

const MOST = 20;
const MINUTE_MS = 60_000;
const WRITES: readonly Permission[] = ['memory:read', 'memory:write'];

const agentOf = (company: SignedIn, permissions = WRITES) =>
  createAgent(service, company, company, { permissions });
const addSources = async (caller: Caller, count: number) => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await addSource(caller)).id);
  return ids;
};
const forget = (caller: Caller, id: string, undo = false) => toolOutcome(caller, 'forget', { id, undo });

/** Records archived sources of a token, some minutes ago, in the Team layer or in that of a client. */
async function plantArchived(
  company: SignedIn,
  { record }: Agent,
  { minutesAgo, count, clientId }: { minutesAgo: number; count: number; clientId?: string },
): Promise<void> {
  const at = Date.now() - minutesAgo * MINUTE_MS;
  for (let i = 0; i < count; i++) {
    await service.database.query(
      `insert into memory.audit_event
         (company_id, id, kind, actor_id, team_id, layer, client_id, subject_type, subject_id, token_id, at)
       values ($1, $2, 'memory.archive', $3, $4, case when $7::uuid is null then 'team' else 'client' end, $7, 'source',
               $2, $5, $6)`,
      [
        company.companyId,
        v7({ msecs: at }),
        company.ownerId,
        company.teamId,
        record.id,
        new Date(at),
        clientId ?? null,
      ],
    );
  }
}

describe('an agent token without memory:review', () => {
  test('archives 20 sources in 60 minutes, by DELETE and by forget together, and is told when it can go on', async () => {
    const company = await service.company();
    const agent = await agentOf(company);
    const ids = await addSources(company, MOST + 1);
    const last = ids.pop() ?? '';
    for (const [n, id] of ids.entries()) {
      if (n % 2 === 0) assert.equal(outcome(await removeSource(agent, id)), '204');
      else assert.equal(await forget(agent, id), 'ok');
    }
    await recordsNothing(service, company, async () => {
      const refused = await removeSource(agent, last);
      assert.equal(outcome(refused), '429 rate_limited');
      assert.match(
        refused.json<{ detail: string }>().detail,
        /memory:review.* 20 items in 60 minutes; wait 60 min/,
      );
      const wait = Number(refused.headers['retry-after']);
      assert.ok(wait > 3000 && wait <= 3600, String(wait));
      assert.equal(refused.headers['ratelimit-limit'], '20');
      const { text } = await callTool(agent, 'forget', { id: last });
      assert.match(text, /^rate_limited: .* 20 items in 60 minutes; wait 60 minutes, or ask a person/);
    });
    assert.equal((await readSource(company, last)).state, 'active');
    // The owner, a token of theirs with the permission, and another token are not concerned.
    const other = await agentOf(company);
    assert.equal(await forget(other, last), 'ok');
    assert.equal(await forget(await agentOf(company, ['memory:write', 'memory:review']), last, true), 'ok');
    assert.equal(outcome(await removeSource(company, last)), '204');
  });

  test('is not counted what was refused', async () => {
    const company = await service.company();
    const agent = await agentOf(company);
    const member = await addPerson(service, company, { teamRole: 'member' });
    const [own = ''] = await addSources(company, 1);
    const [foreign = ''] = await addSources(member, 1);
    await plantArchived(company, agent, { minutesAgo: 1, count: MOST - 1 });
    assert.equal(await forget(agent, foreign), 'forbidden');
    assert.equal(await forget(agent, own, true), 'conflict');
    assert.equal(await forget(agent, crypto.randomUUID()), 'not_found');
    assert.equal(outcome(await removeSource(agent, foreign)), '403 forbidden');
    assert.equal(await forget(agent, own), 'ok');
    assert.equal(await forget(agent, foreign), 'forbidden', 'the limit comes after the rights');
  });

  test('can archive again when 60 minutes have passed', async () => {
    const company = await service.company();
    const agent = await agentOf(company);
    const ids = await addSources(company, 3);
    await plantArchived(company, agent, { minutesAgo: 61, count: MOST });
    await plantArchived(company, agent, { minutesAgo: 59, count: MOST - 1 });
    assert.equal(await forget(agent, ids[0] ?? ''), 'ok');
    const refused = await removeSource(agent, ids[1] ?? '');
    assert.equal(outcome(refused), '429 rate_limited');
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait > 0 && wait <= 60, String(wait));
  });

  test('is counted what it withdraws from review', async () => {
    const company = await service.company();
    await company.ask.changeSelectedTeam({ publish: 'review' });
    const member = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, member, company, { permissions: WRITES });
    const submit = async () => {
      const args = { text: `A gull ${crypto.randomUUID()}` };
      const { value } = await callTool<{ id: string }>(agent, 'remember', args);
      return value.id;
    };
    await plantArchived(company, agent, { minutesAgo: 1, count: MOST - 1 });
    const [first, other] = [await submit(), await submit()];
    assert.equal(await forget(agent, first), 'ok');
    assert.equal(await forget(agent, other), 'rate_limited');
    assert.equal(await forget(agent, first, true), 'ok');
    const source = await addSource(member);
    assert.equal(outcome(await removeSource(agent, source.id)), '429 rate_limited');
  });

  test('does not exceed the limit by requests at the same time, to two processes', async () => {
    const company = await service.company();
    const agent = await agentOf(company);
    await plantArchived(company, agent, { minutesAgo: 1, count: MOST - 4 });
    const ids = await addSources(company, 12);
    const outcomes = await Promise.all(
      ids.map(async (id, n) => {
        const process = n % 2 === 0 ? service : second;
        return n % 4 < 2
          ? (await removeSource(via(process, agent), id)).statusCode
          : await toolOutcome(via(process, agent), 'forget', { id });
      }),
    );
    const done = outcomes.filter((one) => one === 204 || one === 'ok');
    const refused = outcomes.filter((one) => one === 429 || one === 'rate_limited');
    assert.deepEqual([done.length, refused.length], [4, 8], outcomes.join(' '));
    const states = await Promise.all(ids.map((id) => readSource(company, id)));
    assert.equal(states.filter(({ state }) => state === 'archived').length, 4);
  });

  test('does not get more after its owner has lost a client in which it archived', async () => {
    const company = await service.company();
    const agent = await agentOf(company);
    await plantArchived(company, agent, { minutesAgo: 1, count: MOST, clientId: crypto.randomUUID() });
    const [id = ''] = await addSources(company, 1);
    assert.equal(await forget(agent, id), 'rate_limited');
  });
});
