import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { join, makeInvitation, makeInvite } from '../support/invites.ts';
import { assertStablePages } from '../support/stable-pages.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();

const COMPANY = '/v1/company/audit';

const TEAM = '/v1/memory/audit';

const events = (caller: Caller, url: string, query = '', limit?: number) =>
  caller.readAll<AuditEvent>(`${url}${query}`, limit);

async function ingest(caller: Caller, clientId?: string): Promise<string> {
  const scope = clientId === undefined ? {} : { clientId };
  return (await caller.api.ingestSource({ title: 'x', text: newId(), scope })).source.id;
}

/** A Company with events of its own, of two Teams, of an active and of an archived client; and another Company. */
async function addEvents(company: SignedIn) {
  const second = await addTeam(service, company);
  const inSecond = inTeam(company, second);
  const [active, archived] = [await addClient(service, company), await addClient(service, company)];
  const sources = {
    team: await ingest(company),
    active: await ingest(company, active),
    archived: await ingest(company, archived),
    second: await ingest(inSecond),
  };
  const { invite: invitation } = await makeInvitation(company);
  const { invite } = await makeInvite(service, company);
  const url = `/v1/team/clients/${archived}`;
  assert.equal((await company.send('DELETE', url)).statusCode, 204);
  await ingest(await service.company());
  return { second, inSecond, active, archived, sources, invitation, invite };
}

const kinds = (list: readonly AuditEvent[]) => list.map(({ kind }) => kind);

const subjects = (list: readonly AuditEvent[]) => list.map(({ subjectId }) => subjectId);

describe('GET /v1/company/audit', () => {
  test('lists all events of the Company, newest first, with archived clients and other Teams', async () => {
    const company = await service.company();
    const { second, active, archived, sources, invitation, invite } = await addEvents(company);
    const { companyId, ownerId, teamId } = company;
    const listed = await events(company, COMPANY);
    assert.deepEqual(
      listed.map(({ kind, teamId: team, subjectType, subjectId, layer, clientId }) => [
        kind,
        team,
        subjectType,
        subjectId,
        layer,
        clientId,
      ]),
      [
        ['team.client_archive', teamId, 'client', archived, null, null],
        ['team.invite', teamId, 'invite', invite.id, null, null],
        ['company.invite', null, 'invite', invitation.id, null, null],
        ['memory.ingest', second, 'source', sources.second, 'team', null],
        ['memory.ingest', teamId, 'source', sources.archived, 'client', archived],
        ['memory.ingest', teamId, 'source', sources.active, 'client', active],
        ['memory.ingest', teamId, 'source', sources.team, 'team', null],
        ['team.create', teamId, 'team', teamId, null, null],
        ['company.create', null, 'company', companyId, null, null],
      ],
    );
    for (const { actorId, at } of listed) {
      assert.equal(actorId, ownerId);
      assert.match(at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    }
    assert.equal(
      Object.keys(listed[0] ?? {})
        .sort()
        .join(' '),
      'actorId actorName at clientId clientName detail id kind layer subjectId subjectName subjectType teamId tokenId',
    );
  });

  test('filters the events by kind, subject and Team, also in combination', async () => {
    const company = await service.company();
    const { second, sources, invitation } = await addEvents(company);
    const { teamId } = company;
    const find = async (query: string) => events(company, COMPANY, `?${query}`);
    assert.deepEqual(subjects(await find('kind=memory.ingest')), [
      sources.second,
      sources.archived,
      sources.active,
      sources.team,
    ]);
    assert.deepEqual(kinds(await find(`subjectId=${invitation.id}`)), ['company.invite']);
    assert.deepEqual(kinds(await find(`subjectId=${invitation.id.toUpperCase()}`)), ['company.invite']);
    assert.deepEqual(subjects(await find(`teamId=${second}`)), [sources.second]);
    assert.equal((await find(`teamId=${teamId}`)).length, 6);
    assert.deepEqual(subjects(await find(`teamId=${teamId}&kind=team.invite`)).length, 1);
    assert.deepEqual(kinds(await find(`teamId=${teamId}&kind=memory.ingest&subjectId=${sources.team}`)), [
      'memory.ingest',
    ]);
    for (const query of [
      `teamId=${second}&subjectId=${sources.team}`,
      `kind=memory.search`,
      'kind=memory',
      'kind=memory.inges%25',
      `teamId=${newId()}`,
      'teamId=no-id',
      'subjectId=no-id',
      `subjectId=${newId()}`,
    ]) {
      assert.deepEqual(await find(query), [], query);
    }
  });
});

describe('GET /v1/memory/audit', () => {
  test('lists the events of the selected Team, except those in archived clients', async () => {
    const company = await service.company();
    const { inSecond, archived, sources, invite } = await addEvents(company);
    const listed = await events(company, TEAM);
    assert.deepEqual(kinds(listed), [
      'team.client_archive',
      'team.invite',
      'memory.ingest',
      'memory.ingest',
      'team.create',
    ]);
    assert.deepEqual(subjects(listed).slice(0, 4), [archived, invite.id, sources.active, sources.team]);
    assert.deepEqual(subjects(await events(inSecond, TEAM)), [sources.second]);
    assert.deepEqual(await events(company, TEAM, `?subjectId=${sources.archived}`), []);
    const back = { state: 'active' };
    const restored = await company.ask.changeClient(archived, back);
    assert.equal(restored.statusCode, 200);
    assert.deepEqual(subjects(await events(company, TEAM, `?subjectId=${sources.archived}`)), [
      sources.archived,
    ]);
  });

  test('filters the events by kind and subject, and never shows another Team', async () => {
    const company = await service.company();
    const { second, sources, invitation } = await addEvents(company);
    const find = (query: string) => events(company, TEAM, `?${query}`);
    assert.deepEqual(kinds(await find('kind=team.invite')), ['team.invite']);
    assert.deepEqual(subjects(await find(`kind=memory.ingest&subjectId=${sources.team}`)), [sources.team]);
    for (const query of [
      `subjectId=${sources.second}`,
      `subjectId=${invitation.id}`,
      'kind=company.invite',
      'subjectId=no-id',
    ]) {
      assert.deepEqual(await find(query), [], query);
    }
    // The route ignores teamId and does not leave the Team.
    const listed = await find(`teamId=${second}`);
    assert.ok(listed.every(({ teamId }) => teamId === company.teamId));
  });
});

for (const url of [COMPANY, TEAM]) {
  describe(`the pages of ${url}`, () => {
    test('the pages return every event once while others are recorded', async () => {
      const company = await service.company();
      for (let n = 0; n < 5; n += 1) await ingest(company);
      await assertStablePages(company, url, () => ingest(company));
    });

    test('the filter applies to every page', async () => {
      const company = await service.company();
      const sources: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        sources.unshift(await ingest(company));
        await makeInvite(service, company);
      }
      for (const limit of [1, 2, 200]) {
        assert.deepEqual(subjects(await events(company, url, '?kind=memory.ingest', limit)), sources);
      }
    });
  });
}

const { database } = service;

for (const url of ['/v1/memory/audit', '/v1/company/audit']) {
  describe(`the filters of GET ${url}`, () => {
    /** A Team with events of two people on three days. */
    const eventful = async () => {
      const company = await service.company();
      const member = await addPerson(service, company, { teamRole: 'member' });
      const add = async (caller: Caller, kind: string, at: string) => {
        const id = newId();
        await database.query(
          `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type, subject_id, at)
           values ((select company_id from identity.team where id = $1), $2, $3, $4, $1, 'source', $2, $5)`,
          [company.teamId, idOn(at, id), kind, caller === company ? company.ownerId : member.userId, at],
        );
      };
      await add(company, 'memory.ingest', '2026-03-01T23:59:59.999900Z');
      await add(member, 'memory.archive', '2026-03-02T00:00:00Z');
      await add(company, 'memory.search', '2026-03-02T12:00:00.123900Z');
      await add(member, 'memory.ingest', '2026-03-03T00:00:00Z');
      const kinds = async (query: string) => {
        const all = await events(company, url, `?until=2026-12-31&since=2026-01-01&${query}`);
        return all.filter(({ at }) => at < '2026-03-04').map(({ kind }) => kind.slice('memory.'.length));
      };
      return { company, member, kinds };
    };
    /** An id as one of that time has. */
    const idOn = (at: string, id: string) =>
      `${Date.parse(at)
        .toString(16)
        .padStart(12, '0')
        .replace(/(.{8})/, '$1-')}${id.slice(13)}`;

    test('by kinds, some of them or all others', async () => {
      const { kinds } = await eventful();
      assert.deepEqual(await kinds(''), ['ingest', 'search', 'archive', 'ingest']);
      assert.deepEqual(await kinds('kinds=memory.archive,memory.search'), ['search', 'archive']);
      assert.deepEqual(await kinds('kinds=!memory.search'), ['ingest', 'archive', 'ingest']);
      assert.deepEqual(await kinds('kinds=!memory.search, !memory.ingest,'), ['archive']);
      assert.deepEqual(await kinds('kinds=memory.archive,memory.search,!memory.search'), ['archive']);
      assert.deepEqual(await kinds('kind=memory.search&kinds=memory.archive,memory.search'), ['search']);
      assert.deepEqual(await kinds('kind=memory.search&kinds=!memory.search'), []);
      assert.deepEqual(await kinds('kinds=memory.unknown'), []);
    });

    test('by the person who acted', async () => {
      const { company, member, kinds } = await eventful();
      assert.deepEqual(await kinds(`actorId=${member.userId}`), ['ingest', 'archive']);
      assert.deepEqual(await kinds(`actorId=${company.ownerId}&kinds=memory.search`), ['search']);
      assert.deepEqual(await kinds(`actorId=${newId()}`), []);
      assert.deepEqual(await kinds('actorId=nobody'), []);
    });

    test('by time, whose bounds are included; a day is whole', async () => {
      const { company } = await eventful();
      const between = async (since: string, until: string) => {
        const found = await events(company, url, `?since=${since}&until=${until}`);
        return found.map(({ kind }) => kind.slice('memory.'.length));
      };
      assert.deepEqual(await between('2026-03-02', '2026-03-02'), ['search', 'archive']);
      assert.deepEqual(await between('2026-03-02', '2026-03-03'), ['ingest', 'search', 'archive']);
      assert.deepEqual(await between('2026-03-01', '2026-03-01'), ['ingest']);
      assert.deepEqual(await between('2026-03-02T12:00:00.123Z', '2026-03-02T12:00:00.123Z'), ['search']);
      assert.deepEqual(await between('2026-03-02T14:00:00.124%2B02:00', '2026-03-02T12:00:01Z'), []);
      for (const fault of ['since=yesterday', 'until=2026-02-30']) {
        const answer = await company.send('GET', `${url}?${fault}`);
        assert.equal(answer.statusCode, 400, fault);
      }
    });
  });
}

/** The events about a record, as the lists of the Company and of the Team show them. */
async function about(company: SignedIn, subjectId: string): Promise<AuditEvent[][]> {
  return [await company.all.listCompanyAudit({ subjectId }), await company.all.listTeamAudit({ subjectId })];
}

test('lists have the present names of people, and the emails of invites', async () => {
  const company = await service.company();
  const { token } = await makeInvite(service, company);
  const { user } = (await join(service, { token, name: 'Zoë' })).json<Session>();
  await company.api.changeTeamRole(user.id, { role: 'admin' });
  const [{ invite: open }, { invite: invitation }] = [
    await makeInvite(service, company),
    await makeInvitation(company),
  ];
  for (const name of ['Zoë', 'Zoë Renamed']) {
    await database.query('update identity.account set name = $2 where id = $1', [user.id, name]);
    for (const [changed, joined] of await about(company, user.id)) {
      assert.deepEqual([changed?.actorName, changed?.subjectName], ['Owner', name]);
      assert.deepEqual([joined?.actorName, joined?.subjectName], [name, name]);
    }
  }
  for (const [event] of await about(company, open.id)) assert.equal(event?.subjectName, open.email);
  const [ofCompany] = await about(company, invitation.id);
  assert.equal(ofCompany?.[0]?.subjectName, invitation.email);
});

test('lists have the names of agent tokens', async () => {
  const company = await service.company();
  const { record } = await createAgent(service, company, company, { name: 'Laptop' });
  for (const [event] of await about(company, record.id)) assert.equal(event?.subjectName, 'Laptop');
});

test('lists have the present name of a client, whatever it was, and while it is archived', async () => {
  const company = await service.company();
  const { id } = await company.api.createClient({ name: 'Zoo' });
  const { source } = await company.api.ingestSource({ title: 'x', text: newId(), scope: { clientId: id } });
  await company.api.changeClient(id, { name: 'Zoo Renamed' });
  await company.api.archiveClient(id);
  for (const events of await about(company, id)) {
    assert.deepEqual(new Set(events.map(({ subjectName }) => subjectName)), new Set(['Zoo Renamed']));
    assert.equal(events.length, 3);
  }
  const [[ingested] = []] = await about(company, source.id);
  assert.deepEqual([ingested?.clientId, ingested?.clientName], [id, 'Zoo Renamed']);
});
