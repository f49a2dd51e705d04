import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import type { Member } from '../../shared/schemas/people.ts';
import type { Status } from '../../shared/schemas/status.ts';
import { MAIL_ON } from '../support/app.ts';
import { column, columns } from '../support/columns.ts';
import { makeInvitation, makeInvite } from '../support/invites.ts';
import { addClient, addPerson, addTeam } from '../support/team.ts';
import { assertRefused, keepSession } from './cli.ts';
import { cells, openCli, sessionOf } from './cli-person.ts';

const { service, base, newPerson, owner } = await openCli(MAIL_ON);

describe('cli team', () => {
  test('lists Teams, members and clients, and shows one Team', async () => {
    const { company, text, data } = await owner();
    const clientId = await addClient(service, company);
    const archived = await addClient(service, company, 'archived');
    const member = await addPerson(service, company, { teamRole: 'member' });
    assert.deepEqual(cells(await text('team', 'list')), [
      ['Team', 'Role', 'Access', 'State', 'Name'],
      [company.teamId, 'owner', 'full', 'active', 'Test Team'],
    ]);
    assert.deepEqual(cells(await text('team', 'clients')), [
      ['Client', 'Access', 'State', 'Name'],
      [clientId, 'write', 'active', 'A client'],
    ]);
    assert.match(await text('team', 'clients', '--archived'), new RegExp(`^${archived} .*archived`, 'm'));
    const members = cells(await text('team', 'members'));
    assert.deepEqual(members[0], ['Member', 'Role', 'Name', 'Email']);
    assert.ok(members.some(([id, role]) => id === member.userId && role === 'member'));
    const shown = await text('team', 'show');
    assert.match(shown, /^Team +Test Team$/m);
    assert.match(shown, /^Your access +full$/m);
    assert.match(shown, /^Clients that you can reach +1$/m);
    assert.equal((await data<{ id: string }>('team', 'show')).id, company.teamId);
    assert.match(shown, /^Stored +0 bytes, 0 passages$/m);
    const quota = { quota: { chunks: 500_000, bytes: 5_000_000_000 } };
    await company.ask.renameTeam(company.teamId, quota);
    assert.match(await text('team', 'show'), /^Stored +0 bytes of 5\.0 GB, 0 of 500000 passages$/m);
    const teamId = await addTeam(service, company);
    assert.equal((await data<{ clients: number }>('team', 'show', '--team', teamId)).clients, 0);
  });
});

describe('cli team add', () => {
  test('adds a person of the Company by a part of the name, the email or the id', async () => {
    const { company, person, text, data } = await owner();
    const [read, written] = [await addClient(service, company), await addClient(service, company)];
    const people = await Array.fromAsync(['Ann Baker', 'Ann Bakersfield', 'Ben'], async (name) => {
      const { userId } = await addPerson(service, company, {});
      await service.database.query('update identity.account set name = $2 where id = $1', [userId, name]);
      return userId;
    });
    const [ann = '', annie = '', ben = ''] = people;
    assertRefused(
      await person.run(['team', 'add', 'Ann']),
      /several people have "Ann" in their names.*Bakersfield/,
    );
    assertRefused(await person.run(['team', 'add', 'Nobody']), /nobody of your Company/);
    const grants = ['--read', read, '--write', written];
    const added = await text('team', 'add', 'ann', 'baker', ...grants);
    assert.equal(added, `Ann Baker <person-${ann}@example.com> is now member of the Team.\n`);
    assert.deepEqual(columns(await company.all.listClientGrants(), 'userId', 'clientId', 'access'), [
      [ann, written, 'write'],
      [ann, read, 'read'],
    ]);
    const { member } = await data<{ member: Member }>('team', 'add', annie, '--role=admin');
    assert.deepEqual([member.userId, member.role], [annie, 'admin']);
    await text('team', 'add', `person-${ben}@example.com`, '--role=owner');
    assertRefused(await person.run(['team', 'add', ben]), /already has this role/);
  });
});

describe('cli team invites and resend', () => {
  test('list the invites with the state of their mails, and mail one again', async () => {
    const { company, person, text } = await owner();
    const { invite } = await makeInvite(service, company);
    const sent = () =>
      service.database.query("update identity.mail set state = 'sent' where cause_id = $1", [invite.id]);
    const listed = async () => cells(await text('team', 'invites')).map((line) => line.slice(0, 4));
    assert.deepEqual(await listed(), [
      ['Invite', 'Role', 'State', 'Mail'],
      [invite.id, 'member', 'open', 'waiting'],
    ]);
    await sent();
    assert.deepEqual((await listed())[1], [invite.id, 'member', 'open', 'sent']);
    for (const named of [invite.email.toUpperCase(), invite.id]) {
      assert.equal(await text('team', 'resend', named), `A mail to ${invite.email} is on its way.\n`);
      assert.deepEqual((await listed())[1], [invite.id, 'member', 'open', 'waiting']);
      await sent();
    }
    await company.api.revokeInvite(invite.id);
    assertRefused(await person.run(['team', 'resend', invite.email]), /no open invite of the Team is to /);
    assertRefused(await person.run(['team', 'resend', invite.id]), /not open/);
    const other = await owner();
    assert.equal(await other.text('team', 'invites'), 'Nobody has been invited yet.\n');
  });
});

describe('cli accept', () => {
  test('accepts an invite and an invitation for the own account, by the link or its token', async () => {
    const { company } = await owner();
    const invited = await addPerson(service, company, {});
    const email = `person-${invited.userId}@example.com`;
    const person = await newPerson();
    await keepSession(person, sessionOf(base, invited.token, email));
    await service.database.query('update identity.account set verified_at = now() where id = $1', [
      invited.userId,
    ]);
    const { url } = await makeInvite(service, company, { email });
    const joined = await person.run(['accept', url]);
    assert.deepEqual([joined.stdout, joined.code], ['You are now in the Team Test Team.\n', 0]);
    const { token } = await makeInvitation(company, { email });
    const accepted = await person.run(['accept', token]);
    assert.deepEqual([accepted.stdout, accepted.code], ['You are now an Admin of Test Company.\n', 0]);
    const other = await makeInvite(service, company);
    assertRefused(await person.run(['accept', other.url]), /for another account/);
    assertRefused(await person.run(['accept', url]), /already been used|has been used/);
    assertRefused(await person.run(['accept', 'https://memory.example.com/join']), /link is incomplete/);
  });
});

describe('cli status', () => {
  test('shows the health of the service and the figures of the Team', async () => {
    const { company, text, data } = await owner();
    await company.ask.ingestSource({ title: 'A', text: 'a text' });
    const shown = await text('status');
    // No worker runs in this test, and jobs of other tests can wait in the queue.
    assert.match(shown, /^Service +not well: (?:queue, )?worker$/m);
    assert.match(shown, /^Sources +1 active, 0 archived$/m);
    assert.match(shown, /^Passages +1, 0 of them with a vector$/m);
    assert.match(shown, /^Stored +6 bytes, 1 passage$/m);
    assert.match(shown, /^Queue +Ready +Running +Failed +Per minute$/m);
    assert.equal((await data<Status>('status')).sources.active, 1);
    assert.doesNotMatch(shown, /^Words/m);
  });
});

describe('cli audit', () => {
  test('lists the events of the Team with the names of members, by kind and subject', async () => {
    const { company, text, data } = await owner();
    await company.ask.ingestSource({ title: 'A', text: 'a text' });
    await text('search', 'text');
    const { items } = await data<{ items: AuditEvent[] }>('audit');
    assert.deepEqual(column(items.slice(0, 2), 'kind'), ['memory.search', 'memory.ingest']);
    const [heading, ...rows] = cells(await text('audit', '--kind', 'memory.ingest'));
    assert.deepEqual(heading, ['Time (UTC)', 'Event', 'By', 'About', 'Id']);
    assert.deepEqual(columns(rows, 1, 2), [['memory.ingest', 'Owner']]);
    const subject = String(items[1]?.subjectId);
    assert.equal(cells(await text('audit', '--subject', subject)).length, 2);
    assert.match(await text('audit', '--limit', '1'), /There may be more/);
    assert.equal(await text('audit', '--kind', 'memory.delete'), 'No events.\n');
  });
});
