import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { called, callTool, toolOutcome } from '../support/mcp.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();

/** Gives a client or a Team a name. */
const rename = (table: 'client' | 'team', id: string, name: string) =>
  service.database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);

/** The titles that a search for walruses finds, sorted. */
async function found(caller: Caller, args: object): Promise<string[]> {
  type Found = { results: { title: string }[] };
  return column(
    (await called<Found>(caller, 'search', { query: 'walrus', ...args })).results,
    'title',
  ).sort();
}

/** A Team with two clients, and a text in each layer that its title names. */
async function openScene(): Promise<{ company: SignedIn; a: string; b: string }> {
  const company = await service.company();
  const [a, b] = [await addClient(service, company), await addClient(service, company)];
  await rename('client', a, 'Café Älpha');
  await rename('client', b, 'Beta');
  for (const [title, client] of Object.entries({ team: undefined, a, b }))
    await called(company, 'remember', { text: `walrus of ${title}`, title, client });
  return { company, a, b };
}

describe('the argument client', () => {
  test('is absent for the Team layer, an id, a name, or all', async () => {
    const { company, a } = await openScene();
    assert.deepEqual(await found(company, {}), ['team']);
    for (const client of [a, a.toUpperCase(), ' cafe\u0301 ÄLPHA '])
      assert.deepEqual(await found(company, { client }), ['a', 'team']);
    assert.deepEqual(await found(company, { client: 'all' }), ['a', 'b', 'team']);
  });

  test('is never widened if the caller cannot reach the client', async () => {
    const { company, a, b } = await openScene();
    const other = await openScene();
    const archived = await addClient(service, company, 'archived');
    await rename('client', archived, 'Gone');
    const granted = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'read' } });
    const texts = new Set<string>();
    for (const client of [b, 'Beta', other.a, 'nobody', archived, 'Gone', company.teamId]) {
      const answer = await callTool(granted, 'search', { query: 'walrus', client });
      assert.equal(answer.isError, true, client);
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1, 'the same error, whether or not the client exists');
    assert.match([...texts][0] ?? '', /^scope_forbidden: You cannot reach a client with this id or name/);
  });

  test('must be one client that the caller can write to, in tools that write', async () => {
    const { company, a } = await openScene();
    const reading = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'read' } });
    for (const [tool, more] of Object.entries({
      remember: {},
      stage_session: { session: 's', sequence: 1 },
    })) {
      const args = { text: `walrus ${tool}`, ...more };
      assert.equal(await toolOutcome(company, tool, { ...args, client: 'all' }), 'invalid_request');
      assert.equal(await toolOutcome(reading, tool, { ...args, client: 'Café Älpha' }), 'scope_forbidden');
    }
    assert.deepEqual(await found(company, { client: 'all' }), ['a', 'b', 'team']);
  });

  test('is all only in small letters, and not if a client has that name', async () => {
    const { company, a, b } = await openScene();
    assert.deepEqual(await found(company, { client: ' all ' }), ['a', 'b', 'team']);
    assert.equal(await toolOutcome(company, 'search', { query: 'walrus', client: 'All' }), 'scope_forbidden');
    await rename('client', a, 'ALL');
    const { text } = await callTool(company, 'search', { query: 'walrus', client: 'all' });
    const told = 'all is also the name of a client. Name it by its id, or rename it to read every client';
    assert.equal(text, `invalid_request: /client: ${told}: ${a}.`);
    assert.deepEqual(await found(company, { client: 'All' }), ['a', 'team']);
    const granted = await addPerson(service, company, { teamRole: 'member', clients: { [b]: 'read' } });
    assert.deepEqual(await found(granted, { client: 'all' }), ['b', 'team']);
  });

  test('is refused with the ids if several clients have the name', async () => {
    const { company, a, b } = await openScene();
    await rename('client', b, 'café älpha');
    const { text } = await callTool(company, 'search', { query: 'walrus', client: 'Café Älpha' });
    const told = 'is the name of several clients. Name one by its id';
    assert.equal(text, `invalid_request: /client: ${told}: ${a}, ${b}.`);
  });
});

describe('the argument team', () => {
  test('selects a Team by id or name, with the clients and rights of the caller there', async () => {
    const { company } = await openScene();
    const teamId = await addTeam(service, company);
    await rename('team', teamId, 'Sales');
    const sales = inTeam(company, teamId);
    const clientId = await addClient(service, { ...company, teamId });
    await called(sales, 'remember', { text: 'walrus of sales', title: 'sales', client: clientId });
    assert.deepEqual(await found(company, { team: 'SALES', client: clientId }), ['sales']);
    assert.deepEqual(await found(company, { team: teamId, client: 'all' }), ['sales']);
    assert.deepEqual(await found(company, { client: 'all' }), ['a', 'b', 'team']);
  });

  test('is refused for a Team out of reach, whether or not it exists, and the Teams in reach are named', async () => {
    const { company } = await openScene();
    const other = await service.company();
    const secret = await addTeam(service, company);
    await rename('team', secret, 'Secret');
    const member = await addPerson(service, company, { teamRole: 'member' });
    const texts = new Set<string>();
    for (const team of [secret, 'Secret', other.teamId, 'nobody']) {
      texts.add((await callTool(member, 'search', { query: 'walrus', team })).text);
    }
    const told = 'You do not have access to this Team. Name one of these';
    assert.deepEqual([...texts], [`team_forbidden: ${told}: Test Team (${company.teamId}).`]);
  });

  test('is the only Team of the caller if neither it nor the header is given; of several, the error names each', async () => {
    const { company } = await openScene();
    const unnamed = callerOf(service.app, { authorization: company.headers.authorization });
    assert.deepEqual(await found(unnamed, {}), ['team']);
    const teamId = await addTeam(service, company);
    const { text } = await callTool(unnamed, 'search', { query: 'walrus' });
    assert.match(text, /^team_required: You have access to several Teams\. Name one, best by its id: /);
    for (const part of [`Test Team (${company.teamId})`, `Another Team (${teamId})`])
      assert.ok(text.includes(part));
    assert.deepEqual(await found(unnamed, { team: 'test team' }), ['team']);
  });

  test('does not make up for a header that names a Team out of reach', async () => {
    const { company } = await openScene();
    const other = await service.company();
    for (const header of [other.teamId, 'nonsense']) {
      const caller = inTeam(company, header);
      assert.equal(await toolOutcome(caller, 'search', { query: 'walrus' }), 'team_forbidden');
    }
  });
});

test('a right that is taken away does not work in the next call', async () => {
  const { company, a } = await openScene();
  const granted = await addPerson(service, company, { teamRole: 'member', clients: { [a]: 'write' } });
  assert.deepEqual(await found(granted, { client: 'all' }), ['a', 'team']);
  await service.database.query('delete from identity.client_grant where client_id = $1', [a]);
  assert.deepEqual(await found(granted, { client: 'all' }), ['team']);
  assert.equal(await toolOutcome(granted, 'search', { query: 'walrus', client: a }), 'scope_forbidden');
});
