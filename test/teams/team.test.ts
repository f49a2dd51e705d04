import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { addClient, addPerson, addTeam, type Caller, inTeam } from '../support/team.ts';

const service = await openTestApp();

const askTeam = async (caller: Caller) => {
  return await caller.api.getSelectedTeam();
};

test('GET /v1/team shows the Team with the role, access and clients of the caller', async () => {
  const company = await service.company();
  const [mine, shared] = [await addClient(service, company), await addClient(service, company)];
  await addClient(service, company);
  const archived = await addClient(service, company, 'archived');
  const clients = { [mine]: 'read', [shared]: 'write', [archived]: 'write' } as const;
  const person = (ties: Parameters<typeof addPerson>[2]) => addPerson(service, company, ties);
  const expected: [caller: Caller, role: string | null, access: string, clients: number][] = [
    [company, 'owner', 'full', 3],
    [await person({ companyRole: 'owner' }), null, 'full', 3],
    [await person({ companyRole: 'owner', teamRole: 'member' }), 'member', 'full', 3],
    [await person({ teamRole: 'owner' }), 'owner', 'full', 3],
    [await person({ teamRole: 'admin' }), 'admin', 'full', 3],
    [await person({ teamRole: 'member' }), 'member', 'member', 0],
    [await person({ teamRole: 'member', clients }), 'member', 'member', 2],
    [await person({ companyRole: 'admin', companyGrant: 'full' }), null, 'full', 3],
    [await person({ companyRole: 'admin', companyGrant: 'read' }), null, 'read', 3],
    [await person({ companyRole: 'admin', companyGrant: 'read', teamRole: 'member' }), 'member', 'member', 3],
    [await person({ companyRole: 'admin', companyGrant: 'full', teamRole: 'member' }), 'member', 'full', 3],
    [await person({ companyRole: 'admin', teamRole: 'member', clients }), 'member', 'member', 2],
  ];
  const members = expected.filter(([, role]) => role !== null).length;
  for (const [caller, role, access, reached] of expected) {
    assert.deepEqual(await askTeam(caller), {
      id: company.teamId,
      name: 'Test Team',
      state: 'active',
      role,
      access,
      clients: reached,
      members,
      publish: 'anyone',
      redaction: null,
      ...(access === 'full' && {
        usage: { sources: 0, chunks: 0, files: 0, bytes: 0 },
        quota: { chunks: null, bytes: null },
      }),
    });
  }
});

test('GET /v1/team counts only what belongs to the selected Team', async () => {
  const company = await service.company();
  await addClient(service, company);
  const teamId = await addTeam(service, company);
  await addPerson(service, { ...company, teamId }, { teamRole: 'member' });
  const other = inTeam(company, teamId);
  const { id, name, role, clients, members } = await askTeam(other);
  assert.deepEqual(
    { id, name, role, clients, members },
    { id: teamId, name: 'Another Team', role: null, clients: 0, members: 1 },
  );
});
