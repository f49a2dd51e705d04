import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { API_TOKEN, openTestApp, type SignedIn } from '../support/app.ts';
import { callerOf, via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { called, callTool } from '../support/mcp.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, listSources } from '../support/source-library.ts';
import { addPerson, addTeam, archiveTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** A header as Node reads it: each byte of its UTF-8 as one character. */
const asBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

/** A Company with a Team of this name besides its first one. */
async function openScene(name: string): Promise<{ company: SignedIn; teamId: string }> {
  const company = await service.company();
  const teamId = await addTeam(service, company);
  await rename(company, teamId, name);
  return { company, teamId };
}
const rename = (company: SignedIn, teamId: string, name: string) => company.api.renameTeam(teamId, { name });
const selected = async (caller: Caller, header: string, url = '/v1/team') => {
  const answer = await inTeam(caller, header).send('GET', url);
  return answer.statusCode === 200 ? answer.json<{ id: string }>().id : outcome(answer);
};

describe('a request without the header Memory-Team', () => {
  test('selects the only Team, and returns 400 when there are several', async () => {
    const company = await service.company();
    const unnamed = callerOf(service.app, { authorization: company.headers.authorization });
    await unnamed.api.getStatus();
    await addTeam(service, company);
    assert.equal(outcome(await unnamed.ask.getStatus()), '400 team_required');
  });

  test('returns 403 for a caller without a Team, as with the header', async () => {
    const outsider = await addPerson(service, await service.company(), {});
    const unnamed = callerOf(service.app, { authorization: outsider.headers.authorization });
    for (const caller of [outsider, unnamed])
      assert.equal(outcome(await caller.ask.getStatus()), '403 team_forbidden');
  });
});

describe('the header Memory-Team with a name', () => {
  for (const [name, ...headers] of [
    ['Payments', 'Payments', '  payments ', 'PAYMENTS', 'Pay%6Dents'],
    ['Zürich', asBytes('Zürich'), asBytes('ZU\u0308RICH'), 'Z%C3%BCrich', 'Zu%CC%88rich', 'Z\u00fcrich'],
    ['支払い 🐋', asBytes('支払い 🐋'), encodeURIComponent('支払い 🐋')],
    ['50% off', '50% off', '50%25 off', '50%25%20OFF'],
    ['ΟΔΟΣ', asBytes('οδος'), asBytes('οδοσ')],
  ] as const) {
    test(`selects the Team as its name is compared, as it is and percent-encoded: ${name}`, async () => {
      const { company, teamId } = await openScene(name);
      for (const header of headers) assert.equal(await selected(company, header), teamId, header);
    });
  }

  test('is read by every route of a Team and by MCP, with the clients and the records of that Team', async () => {
    const { company, teamId } = await openScene('Straße');
    const named = inTeam(company, asBytes('STRASSE'));
    const source = await addSource(named);
    assert.deepEqual(column(await listSources(inTeam(company, teamId)), 'id'), [source.id]);
    assert.deepEqual((await named.api.getManifest({})).scopes, ['team']);
    assert.equal((await called(named, 'whoami'))['team'], teamId);
    const query = { query: source.title };
    const { results } = await called<{ results: { id: string }[] }>(named, 'search', query);
    assert.deepEqual(column(results, 'id'), [source.id]);
    assert.equal((await called(company, 'whoami', { team: 'STRASSE' }))['team'], teamId);
  });

  test('selects an archived Team, whose records can be read', async () => {
    const { company, teamId } = await openScene('Old payments');
    await archiveTeam(service, teamId);
    assert.equal(await selected(company, 'old payments'), teamId);
  });

  test('is an id if it is a UUID, whatever the Teams are named', async () => {
    const id = crypto.randomUUID();
    const { company, teamId } = await openScene(id);
    assert.equal(await selected(company, id), '403 team_forbidden');
    assert.equal(await selected(company, teamId.toUpperCase()), teamId);
    const { text } = await callTool(company, 'search', { query: 'x', team: id });
    assert.match(text, /^team_forbidden/);
  });

  test('returns 400 team_required if it fits two Teams of the caller, and names the way out', async () => {
    const { company, teamId } = await openScene('R%26D');
    const other = await addTeam(service, company);
    await rename(company, other, 'r&d');
    const answer = await inTeam(company, 'R%26D').ask.getSelectedTeam();
    assert.equal(outcome(answer), '400 team_required');
    assert.match(answer.json<{ detail: string }>().detail, /Several of your Teams.*id/);
    for (const args of [{}, { team: 'R%26D' }]) {
      const { text } = await callTool(inTeam(company, 'R%26D'), 'whoami', args);
      assert.match(text, new RegExp(`^team_required: .*${teamId}`));
    }
    assert.equal(await selected(company, 'R&D'), other);
    // A member of only one of them has no choice to make.
    const member = await addPerson(service, company, { teamRole: 'member' });
    await database.query(
      `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'member')`,
      [company.companyId, teamId, member.userId],
    );
    assert.equal(await selected(member, 'R%26D'), teamId);
  });

  test('returns the same 403 for a Team out of reach as for one that does not exist', async () => {
    const { company, teamId } = await openScene('Closed');
    const stranger = await openScene('Elsewhere');
    const member = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, company, company);
    assert.equal(await selected(stranger.company, 'Elsewhere'), stranger.teamId);
    for (const caller of [member, agent]) {
      for (const url of ['/v1/team', '/v1/memory/status', '/v1/workspace/manifest']) {
        const names = ['Closed', 'Elsewhere', 'Nothing', 'x'.repeat(301), '%ff', 'Closed, Closed', ''];
        names.push(teamId, stranger.teamId, newId(), `${company.teamId}, ${company.teamId}`);
        await assertSameRefusal(
          '403 team_forbidden',
          names.map((name) => inTeam(caller, name).send('GET', url)),
        );
      }
      const texts = new Set<string>();
      for (const name of ['Closed', 'Elsewhere', 'Nothing']) {
        texts.add((await callTool(inTeam(caller, name), 'whoami')).text);
      }
      assert.equal(texts.size, 1);
    }
  });

  test('selects only the Team of an agent token, by its name too', async () => {
    const { company } = await openScene('Other');
    await rename(company, company.teamId, 'Mine');
    const agent = await createAgent(service, company, company);
    assert.equal(await selected(agent, 'mine'), company.teamId);
    assert.equal(await selected(agent, 'Other'), '403 team_forbidden');
  });

  test('works with the token of the service', async () => {
    const caller = callerOf(service.app, { authorization: `Bearer ${API_TOKEN}` });
    const [team] = (await caller.api.getSession()).teams;
    assert.ok(team);
    assert.equal(await selected(caller, team.name.toUpperCase()), team.id);
    assert.equal(await selected(caller, 'No such Team'), '403 team_forbidden');
  });

  test('counts a request once, although the Team is looked up by its name', async () => {
    const limited = await openTestApp({ MEMORY_RATE_LIMITS: 'on', MEMORY_RATE_LIMIT_PER_MINUTE: '10' });
    const company = await limited.company();
    const teamId = await addTeam(limited, company);
    await limited.database.query('update identity.team set name = $2 where id = $1', [teamId, 'Payments']);
    const send = async (header: string) =>
      (await via(limited, inTeam(company, header)).ask.getSelectedTeam()).headers;
    const first = Number((await send(teamId))['ratelimit-remaining']);
    assert.equal(Number((await send('Payments'))['ratelimit-remaining']), first - 1);
    assert.equal(Number((await send(teamId))['ratelimit-remaining']), first - 2);
  });
});
