import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';
import { deletion, file, sha256, workspaceOf } from '../support/workspace.ts';

const service = await openTestApp();
const { database } = service;
const asSeenBy = ({ headers }: Caller) => workspaceOf(service.app, headers);

/** A Team with a client, and a member who may write to it. */
async function open() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const member = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  return { company, clientId, member, owner: asSeenBy(company) };
}

describe('the audit events of workspace files', () => {
  const listed = (caller: Caller) =>
    caller.all.listTeamAudit().then((events) => events.filter(({ kind }) => kind.startsWith('workspace.')));

  test('a push records one audit event for each file, and a refused push records none', async () => {
    const { company, member, owner, clientId } = await open();
    const path = `clients/${clientId}/a`;
    const content = 'what the file says';
    const { events, text } = await recordedBy(service, company, async () => {
      await asSeenBy(member).push([file('team/a', content), file(path, 'x')]);
      await owner.push([deletion(path, 1)]);
      await owner.push([file(path, 'again'), deletion('team/never', 0)]);
      await owner.push([file('team/b', 'x'), file('team/a', 'stale')]);
      await owner.push([file('team/b', 'x'), file('team/A/b', 'x')]);
      await owner.push([{ ...file('team/b', 'x'), sha256: sha256('y') }]);
    });
    const told = events.map(({ kind, actorId, teamId, subjectType, detail }) => [
      kind,
      actorId,
      teamId === company.teamId,
      subjectType,
      detail,
    ]);
    assert.deepEqual(told, [
      ['workspace.write', member.userId, true, 'file', { path: 'team/a', version: 1, bytes: content.length }],
      ['workspace.write', member.userId, true, 'file', { path, version: 1, bytes: 1 }],
      ['workspace.delete', company.ownerId, true, 'file', { path, version: 2 }],
      ['workspace.write', company.ownerId, true, 'file', { path, version: 3, bytes: 5 }],
      ['workspace.delete', company.ownerId, true, 'file', { path: 'team/never', version: 1 }],
    ]);
    const ids = events.map(({ subjectId }) => subjectId);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual([ids[2], ids[3]], [ids[1], ids[1]]);
    assert.ok(!text.includes(content) && !text.includes(Buffer.from(content).toString('base64')));
  });

  test('callers with Full access see the audit events of files, except those of an archived client', async () => {
    const { company, member, owner, clientId } = await open();
    await owner.push([file('team/a', 'x'), file(`clients/${clientId}/a`, 'x')]);
    const admin = await addPerson(service, company, { teamRole: 'admin' });
    assert.equal(outcome(await member.ask.listTeamAudit()), '403 full_access_required');
    assert.deepEqual(columns(await listed(admin), 'layer', 'clientId'), [
      ['client', clientId],
      ['team', null],
    ]);
    await company.ask.archiveClient(clientId);
    assert.deepEqual(column(await listed(admin), 'layer'), ['team']);
  });
});

test('a content is stored once for each Company, whatever its Teams and files', async () => {
  const [first, other] = [await open(), await open()];
  const second = inTeam(first.company, await addTeam(service, first.company));
  const content = `kept once, of ${first.company.companyId}`;
  await first.owner.push([file('team/a', content), file(`clients/${first.clientId}/b`, content)]);
  await first.owner.push([file('team/a', 'else', 1), file('team/c', content)]);
  await first.owner.push([file('team/a', content, 2)]);
  await asSeenBy(second).push([file('team/a', content)]);
  const keepers = async () => {
    const rows = await database.query<{ companyId: string }>(
      `select company_id as "companyId" from memory.workspace_blob where sha256 = decode($1, 'hex')`,
      [sha256(content)],
    );
    return rows.map(({ companyId }) => companyId).sort();
  };
  assert.deepEqual(await keepers(), [first.company.companyId]);
  await other.owner.push([file('team/a', content)]);
  assert.deepEqual(await keepers(), [first.company.companyId, other.company.companyId].sort());
});
