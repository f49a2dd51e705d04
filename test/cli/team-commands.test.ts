import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import type { Status } from '../../shared/schemas/status.ts';
import { column, columns } from '../support/columns.ts';
import { addClient, addPerson, addTeam } from '../support/team.ts';
import { cells, openCli } from './cli-person.ts';

const { service, owner } = await openCli();

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
