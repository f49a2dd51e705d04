import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newAgentToken } from '../../shared/formats/agent-token.ts';
import type { IssuedToken, Token } from '../../shared/schemas/tokens.ts';
import { type Agent, agentOf, createAgent, expire } from '../support/agent-tokens.ts';
import { openTestApp } from '../support/app.ts';
import type { Caller } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam } from '../support/team.ts';

const service = await openTestApp();
const URL = '/v1/auth/tokens';
const HOUR = 3_600_000;

const use = async (agent: Agent) => outcome(await agent.ask.getSelectedTeam());
const rotate = async (owner: Caller, { record }: Agent, body: object = {}) =>
  owner.ask.rotateToken(record.id, body);

/** Moves the end of the overlap of all secrets of a token into the past. */
const endOverlap = ({ record }: Agent) =>
  service.database.query(
    `update identity.agent_token_secret set ends_at = now() - interval '1 second'
      where token_id = $1 and ends_at is not null`,
    [record.id],
  );

describe('creating an agent token', () => {
  test('returns the record and, only this once, the token, which the database does not contain', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const draft = {
      name: 'Build agent',
      teamId: company.teamId.toUpperCase(),
      clientIds: [clientId.toUpperCase(), clientId],
      permissions: ['memory:read', 'memory:write'],
      expiresInDays: 7,
    };
    const { record, token } = await company.api.createToken(draft);
    const { id, createdAt, expiresAt, ...rest } = record;
    assert.deepEqual(rest, {
      name: 'Build agent',
      userId: company.ownerId,
      teamId: company.teamId,
      clientIds: [clientId],
      permissions: ['memory:read', 'memory:write'],
      lastUsedAt: null,
      lastUsedFrom: null,
      state: 'active',
    });
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 24 * HOUR);
    assert.deepEqual(await company.all.listTokens(), [record]);
    const stored = await service.database.query<{ row: string }>(
      `select t::text || s::text as row from identity.agent_token t
         join identity.agent_token_secret s on s.token_id = t.id where t.id = $1`,
      [id],
    );
    assert.equal(stored.length, 1);
    assert.ok(!stored[0]?.row.includes(token.slice(20, 52)));
  });

  test('has the documented defaults: 90 days, and every client that the owner can reach', async () => {
    const company = await service.company();
    const { record } = await createAgent(service, company, company);
    assert.equal(Date.parse(record.expiresAt) - Date.parse(record.createdAt), 90 * 24 * HOUR);
    assert.equal(record.clientIds, null);
  });
});

describe('the secret of an agent token', () => {
  test('is refused if its checksum is wrong, and if the token is unknown', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const other = await createAgent(service, company, company);
    assert.equal(await use(agent), '200');
    const wrong = [
      `${agent.token.slice(0, -1)}${agent.token.endsWith('0') ? '1' : '0'}`,
      agent.token.slice(0, 19) + other.token.slice(19),
      newAgentToken().token,
    ];
    for (const token of wrong) {
      assert.equal(await use(agentOf(service, { token, record: agent.record })), '401 unauthenticated');
    }
  });

  test('notes its last use and the address, at most once a minute', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const read = async () => (await company.all.listTokens())[0];
    await use(agent);
    const first = await read();
    assert.ok(first?.lastUsedAt);
    assert.equal(first.lastUsedFrom, '127.0.0.1');
    await use(agent);
    assert.equal((await read())?.lastUsedAt, first.lastUsedAt);
    await service.database.query(
      `update identity.agent_token set last_used_at = now() - interval '61 seconds' where id = $1`,
      [agent.record.id],
    );
    await use(agent);
    assert.ok(((await read())?.lastUsedAt ?? '') >= first.lastUsedAt);
  });

  test('of an expired token is 401 agent_token_expired', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    await expire(service, agent);
    assert.equal(await use(agent), '401 agent_token_expired');
    assert.equal((await company.all.listTokens())[0]?.state, 'expired');
    assert.equal(outcome(await rotate(company, agent)), '409 conflict');
  });
});

describe('rotating an agent token', () => {
  test('ends the old secret at once, and keeps the id and the end of the record', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const answer = await rotate(company, agent);
    assert.equal(answer.statusCode, 201, answer.body);
    const next = agentOf(service, answer.json<IssuedToken>());
    assert.deepEqual(next.record, agent.record);
    assert.notEqual(next.token.slice(7, 19), agent.token.slice(7, 19));
    assert.equal(await use(agent), '401 unauthenticated');
    assert.equal(await use(next), '200');
  });

  test('keeps the old secret until the overlap ends', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const next = agentOf(service, (await rotate(company, agent, { overlapHours: 72 })).json<IssuedToken>());
    assert.equal(await use(agent), '200');
    assert.equal(await use(next), '200');
    const [old] = await service.database.query<{ hours: number }>(
      `select extract(epoch from ends_at - now()) / 3600 as hours from identity.agent_token_secret
        where token_id = $1 and ends_at is not null`,
      [agent.record.id],
    );
    assert.equal(Math.ceil(Number(old?.hours)), 72);
    await endOverlap(agent);
    assert.equal(await use(agent), '401 unauthenticated');
    assert.equal(await use(next), '200');
  });

  test('without an overlap also ends secrets that were still in one', async () => {
    const company = await service.company();
    const first = await createAgent(service, company, company);
    const second = agentOf(service, (await rotate(company, first, { overlapHours: 1 })).json<IssuedToken>());
    const third = agentOf(service, (await rotate(company, second)).json<IssuedToken>());
    assert.deepEqual(await Promise.all([first, second, third].map(use)), [
      '401 unauthenticated',
      '401 unauthenticated',
      '200',
    ]);
  });

  test('never prolongs an overlap', async () => {
    const company = await service.company();
    const first = await createAgent(service, company, company);
    const second = agentOf(service, (await rotate(company, first, { overlapHours: 1 })).json<IssuedToken>());
    await rotate(company, second, { overlapHours: 72 });
    const ends = await service.database.query(
      `select ceil(extract(epoch from ends_at - now()) / 3600)::int as hours from identity.agent_token_secret
        where token_id = $1 and ends_at is not null order by ends_at`,
      [first.record.id],
    );
    assert.deepEqual(ends, [{ hours: 1 }, { hours: 72 }]);
  });

  test('at the same time leaves one secret that works', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const answers = await Promise.all([
      rotate(company, agent),
      rotate(company, agent),
      rotate(company, agent),
    ]);
    assert.deepEqual(column(answers, 'statusCode'), [201, 201, 201]);
    const outcomes = await Promise.all(
      answers.map((answer) => use(agentOf(service, answer.json<IssuedToken>()))),
    );
    assert.deepEqual(outcomes.sort(), ['200', '401 unauthenticated', '401 unauthenticated']);
  });
});

describe('revoking an agent token', () => {
  const ROUTES = [URL, '/v1/team/tokens', '/v1/company/tokens'];

  for (const url of ROUTES) {
    test(`works on the next request, with secrets in an overlap too: DELETE ${url}/{id}`, async () => {
      const company = await service.company();
      const agent = await createAgent(service, company, company);
      const next = agentOf(service, (await rotate(company, agent, { overlapHours: 1 })).json<IssuedToken>());
      assert.equal((await company.send('DELETE', `${url}/${agent.record.id}`)).statusCode, 204);
      assert.equal(await use(agent), '401 unauthenticated');
      assert.equal(await use(next), '401 unauthenticated');
      const [record] = await company.readAll<Token>(url);
      assert.equal(record?.state, 'revoked');
      assert.equal(outcome(await rotate(company, agent)), '409 conflict');
      // It is revoked already: nothing changes.
      assert.equal((await company.send('DELETE', `${url}/${agent.record.id}`)).statusCode, 204);
    });
  }

  test('a list of a Team or a Company contains the tokens of everyone, newest first, page by page', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { teamRole: 'member' });
    const ids = [];
    for (const owner of [company, person, company]) {
      ids.unshift((await createAgent(service, owner, company)).record.id);
    }
    const otherTeam = await createAgent(service, company, { teamId: await addTeam(service, company) });
    const idsOf = async (url: string) => (await company.readAll<Token>(url, 2)).map(({ id }) => id);
    assert.deepEqual(await idsOf('/v1/team/tokens'), ids);
    assert.deepEqual(await idsOf('/v1/company/tokens'), [otherTeam.record.id, ...ids]);
    assert.deepEqual(column(await person.all.listTokens(), 'id'), [ids[1]]);
  });
});
