import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { outcome } from '../support/sign-in.ts';
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

const change = (caller: Caller, body: object) => caller.ask.changeSelectedTeam(body);

const read = async (caller: Caller) => await caller.api.getSelectedTeam();

test('PATCH /v1/team changes the name and the settings', async () => {
  const company = await service.company();
  const before = await read(company);
  const changes = { name: 'Harbour', publish: 'review', redaction: 'redact' } as const;
  assert.deepEqual(await company.api.changeSelectedTeam(changes), { ...before, ...changes });
  assert.deepEqual(await read(company), { ...before, ...changes });
});

test('PATCH /v1/team leaves what it does not name, and null removes the mode of redaction', async () => {
  const company = await service.company();
  await change(company, { publish: 'review', redaction: 'refuse' });
  await change(company, { redaction: null });
  const { name, publish, redaction } = await read(company);
  assert.deepEqual({ name, publish, redaction }, { name: 'Test Team', publish: 'review', redaction: null });
  await recordsNothing(service, company, () => change(company, { publish: 'review' }));
});

const TAKEN = '409 conflict';

const makeTeam = (company: SignedIn, name: string) => company.ask.createTeam({ name });

const makeClient = (company: SignedIn, name: string) => company.ask.createClient({ name });

const madeTeam = async ({ api }: SignedIn, name: string) => (await api.createTeam({ name })).team.id;

const madeClient = async ({ api }: SignedIn, name: string) => (await api.createClient({ name })).id;

describe('the name of a Team', () => {
  test('is unique in its Company, compared without case, outer spaces and composition', async () => {
    const company = await service.company();
    const id = await madeTeam(company, 'Straße É');
    for (const name of ['Straße É', ' strasse é ', 'STRASSE E\u0301']) {
      assert.equal(outcome(await makeTeam(company, name)), TAKEN, name);
    }
    assert.equal((await makeTeam(await service.company(), 'Straße É')).statusCode, 201);
    const other = await madeTeam(company, 'Other');
    const rename = (team: string, name: string) => company.ask.renameTeam(team, { name });
    assert.equal(outcome(await rename(other, 'strasse é')), TAKEN);
    const selected = inTeam(company, other).ask.changeSelectedTeam({ name: 'strasse é' });
    assert.equal(outcome(await selected), TAKEN);
    assert.equal(
      (await rename(id, 'STRASSE É')).statusCode,
      200,
      'a Team can change the case of its own name',
    );
    assert.equal((await rename(id, 'Harbour')).statusCode, 200);
    assert.equal((await makeTeam(company, 'straße é')).statusCode, 201, 'the old name is free');
  });

  test('stays taken while the Team is archived, and is free when it is deleted', async () => {
    const company = await service.company();
    const id = await madeTeam(company, 'Harbour');
    await company.ask.archiveTeam(id);
    assert.equal(outcome(await makeTeam(company, 'harbour')), TAKEN);
    await company.ask.deleteTeam(id);
    assert.equal((await makeTeam(company, 'harbour')).statusCode, 201);
  });

  test('is given once when several requests race for it', async () => {
    const company = await service.company();
    const teams = await Promise.all(['a', 'b', 'c'].map((name) => madeTeam(company, name)));
    const answers = await Promise.all([
      ...teams.map((id) => inTeam(company, id).ask.changeSelectedTeam({ name: 'Harbour' })),
      ...teams.map((id) => company.ask.renameTeam(id, { name: 'harbour' })),
      makeTeam(company, 'HARBOUR'),
    ]);
    assert.deepEqual(
      [...new Set(answers.map(({ statusCode }) => Math.floor(statusCode / 100)))].sort(),
      [2, 4],
    );
    const named = (await company.all.listTeams()).filter(({ name }) => name.toLowerCase() === 'harbour');
    assert.equal(named.length, 1);
  });
});

describe('the name of a client', () => {
  test('is unique among the active clients of its Team', async () => {
    const company = await service.company();
    const id = await madeClient(company, 'Northwind');
    assert.equal(outcome(await makeClient(company, ' NORTHWIND')), TAKEN);
    const other = await madeClient(company, 'Contoso');
    assert.equal(outcome(await company.ask.changeClient(other, { name: 'northwind' })), TAKEN);
    await company.ask.archiveClient(id);
    assert.equal(
      (await makeClient(company, 'northwind')).statusCode,
      201,
      'an archived client frees its name',
    );
    const restore = (body: object) => company.ask.changeClient(id, body);
    assert.equal(outcome(await restore({ state: 'active' })), TAKEN);
    assert.equal((await restore({ state: 'active', name: 'Northwind Traders' })).statusCode, 200);
  });

  test('is given once when several requests race for it', async () => {
    const company = await service.company();
    const answers = await Promise.all(
      ['Tailspin', 'TAILSPIN', 'tailspin'].map((name) => makeClient(company, name)),
    );
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409, 409]);
  });
});
