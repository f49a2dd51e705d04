import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { makeInvitation, makeInvite } from '../support/invites.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, faultyFields, inTeam } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;
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

  test('shows a new Company Owner all earlier events, including those of removed members', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const owner = await addPerson(service, company, { companyRole: 'owner' });
    const source = await ingest(member);
    const remove = `/v1/company/members/${member.userId}`;
    assert.equal((await company.send('DELETE', remove)).statusCode, 204);
    const [removal, ingested] = await events(owner, COMPANY);
    assert.deepEqual([removal?.kind, removal?.actorId], ['company.member_remove', company.ownerId]);
    assert.deepEqual([ingested?.subjectId, ingested?.actorId], [source, member.userId]);
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

  test('never shows events of another Company, even when its ids are requested', async () => {
    const [company, other] = [await service.company(), await service.company()];
    const source = await ingest(other);
    for (const query of ['', `?teamId=${other.teamId}`, `?subjectId=${source}`, '?kind=memory.ingest']) {
      const listed = await events(company, COMPANY, query);
      assert.ok(!listed.some(({ actorId }) => actorId === other.ownerId), query);
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

  test('returns the same events to everyone with Full access and 403 to others', async () => {
    const company = await service.company();
    const { sources } = await addEvents(company);
    const listed = await events(company, TEAM, '?kind=memory.ingest');
    assert.deepEqual(subjects(listed), [sources.active, sources.team]);
    for (const ties of [
      { teamRole: 'owner' },
      { teamRole: 'admin' },
      { companyRole: 'admin', companyGrant: 'full' },
    ] as const) {
      const caller = await addPerson(service, company, ties);
      assert.deepEqual(await events(caller, TEAM, '?kind=memory.ingest'), listed);
    }
    for (const ties of [{ teamRole: 'member' }, { companyRole: 'admin', companyGrant: 'read' }] as const) {
      const caller = await addPerson(service, company, ties);
      const answer = await caller.ask.listTeamAudit();
      assert.equal(outcome(answer), '403 full_access_required');
    }
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
      const before = (await events(company, url)).map(({ id }) => id);
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query = `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const page: { items: AuditEvent[]; nextCursor: string | null } = (
          await company.send('GET', `${url}${query}`)
        ).json();
        assert.ok(page.items.length <= 2);
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
        await ingest(company);
      }
      assert.deepEqual(seen, before);
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

    test('returns 400 for an invalid limit, cursor or kind', async () => {
      const company = await service.company();
      for (const [query, path] of [
        ['limit=0', '/limit'],
        ['limit=201', '/limit'],
        ['cursor=x', '/cursor'],
        ['kind=%00', '/kind'],
      ] as const) {
        const answer = await company.send('GET', `${url}?${query}`);
        assert.equal(outcome(answer), '400 invalid_request', query);
        assert.deepEqual(faultyFields(answer), [path]);
      }
    });
  });
}

test('the audit of the Company returns exactly the stored events', async () => {
  const company = await service.company();
  await addEvents(company);
  const stored = await database.query<{ id: string; detail: object }>(
    'select id, detail from memory.audit_event where company_id = $1 order by id desc',
    [company.companyId],
  );
  const listed = await events(company, COMPANY, '', 3);
  assert.deepEqual(
    listed.map(({ id, detail }) => ({ id, detail })),
    stored,
  );
});
