import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findTeam } from '../../cli/client/signed-in.ts';
import { newId } from '../../shared/ids.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addClient, addTeam } from '../support/team.ts';
import { assertRefused, keepSession, NO_TERMINAL, openHomes, type Person, runAtTerminal } from './cli.ts';

const service = await openTestApp();
const { database } = service;
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();

/** The path of a file of a profile. */
const profileFile = ({ home }: Person, ...path: string[]) => join(home, '.config', 'team-memory', ...path);

/** A person with a saved session, as `login` saves it. */
async function signedInPerson(): Promise<{ company: SignedIn; person: Person }> {
  const [company, person] = [await service.company(), await newPerson()];
  const { token, ownerEmail: email } = company;
  await keepSession(person, { url: base, token, email, expiresAt: '2030-01-01T00:00:00.000Z' });
  return { company, person };
}

/** Gives a Team a name. */
const nameTeam = (teamId: string, name: string) =>
  database.query('update identity.team set name = $2 where id = $1', [teamId, name]);

/** The names of the Team that a command has used. */
const usedTeam = (stdout: string) => (JSON.parse(stdout) as { name: string }).name;

describe('a Team given by its name', () => {
  test('is found without regard to case and spaces around it, and by its id', async () => {
    const { company, person } = await signedInPerson();
    const teamId = await addTeam(service, company);
    await nameTeam(teamId, 'Straße Süd');
    for (const given of ['straße süd', ' STRASSE SÜD ', teamId, teamId.toUpperCase()]) {
      const ended = await person.run(['team', 'show', '--json', '--team', given]);
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal(usedTeam(ended.stdout), 'Straße Süd');
    }
  });

  test('is refused if it is unknown or ambiguous, with the candidates and their ids', async () => {
    const { company, person } = await signedInPerson();
    const other = await addTeam(service, company);
    const unknown = await person.run(['team', 'show', '--team', 'Thrice']);
    assertRefused(unknown, /you have no Team named "Thrice"/);
    for (const id of [other, company.teamId]) assert.ok(unknown.stderr.includes(id), unknown.stderr);
    const teams = [other, company.teamId].map((id) => ({ id, name: 'Twice' }));
    const third = { id: newId(), name: 'Third' };
    await assert.rejects(
      findTeam('twice', async () => [...teams, third]),
      ({ message }: Error) =>
        /several Teams are named "twice": choose one by its id/.test(message) &&
        teams.every(({ id }) => message.includes(`Twice (${id})`)) &&
        !message.includes(third.id),
    );
  });

  test('a client given by its name is found in the Team, and refused with the candidates', async () => {
    const { company, person } = await signedInPerson();
    const clients = [await addClient(service, company), await addClient(service, company)];
    await database.query(`update identity.client set name = 'Globex' where id = $1`, [clients[0]]);
    await writeFile(join(person.home, 'a.txt'), 'one');
    const into = (client: string) => person.run(['import', '.', '--no-wait', '--json', '--client', client]);
    assert.equal((await into('globex')).code, 0);
    const imports = (await company.api.listImports()).items;
    assert.deepEqual(
      imports.map(({ clientId }) => clientId),
      [clients[0]],
    );
    assertRefused(await into('Initech'), /no client named "Initech".*Globex/);
  });
});

describe('the default Team', () => {
  test('is used without --team, and --team wins over it', async () => {
    const { company, person } = await signedInPerson();
    const teamId = await addTeam(service, company);
    await nameTeam(teamId, 'Second');
    assertRefused(await person.run(['team', 'show']), /several Teams: choose one with --team.*team use/);
    const chosen = await person.run(['team', 'use', 'second']);
    assert.deepEqual(chosen, {
      code: 0,
      stdout: 'Commands without --team use the Team Second.\n',
      stderr: '',
    });
    assert.equal(usedTeam((await person.run(['team', 'show', '--json'])).stdout), 'Second');
    const other = await person.run(['team', 'show', '--json', '--team', company.teamId]);
    assert.equal(usedTeam(other.stdout), 'Test Team');
    assertRefused(await person.run(['team', 'use', 'Third']), /no Team named "Third"/);
    const { mode } = await stat(profileFile(person, 'settings.json'));
    assert.equal(mode & 0o777, 0o600);
  });

  test('has no effect on an agent token, and on another service', async () => {
    const { company, person } = await signedInPerson();
    const teamId = await addTeam(service, company);
    await person.run(['team', 'use', teamId]);
    const agent = await createAgent(service, company, company);
    const env = { MEMORY_API_TOKEN: agent.token };
    const ended = await person.run(['team', 'show', '--json', '--url', base], { env });
    assert.equal(usedTeam(ended.stdout), 'Test Team', ended.stderr);
    const settings = { team: { url: 'http://127.0.0.1:1', id: teamId, name: 'Elsewhere' } };
    await writeFile(profileFile(person, 'settings.json'), JSON.stringify(settings));
    assertRefused(await person.run(['team', 'show']), /several Teams/);
  });
});

describe('output', () => {
  test('is one JSON document with --json, and nothing of it in the text without', async () => {
    const { company, person } = await signedInPerson();
    const ended = await person.run(['whoami', '--json']);
    const data = JSON.parse(ended.stdout) as { teams: { id: string }[]; url: string };
    assert.deepEqual([data.teams[0]?.id, data.url], [company.teamId, base]);
    const members = await person.run(['team', 'members']);
    assert.ok(!members.stdout.includes('{'), members.stdout);
  });

  test('a command that fails prints no JSON, except what it has done', async () => {
    const { person } = await signedInPerson();
    await writeFile(join(person.home, 'a.xyz'), 'no format');
    await writeFile(join(person.home, 'b.txt'), '');
    const ended = await person.run(['import', '.', '--json', '--dry-run']);
    const { files } = JSON.parse(ended.stdout) as { files: { name: string; state: string }[] };
    assert.deepEqual(files.map(({ name }) => name).sort(), ['a.xyz', 'b.txt']);
    assertRefused(await person.run(['team', 'show', '--json', '--team', 'none of them']), /no Team named/);
  });

  test('has colour in a terminal, and none when piped or with NO_COLOR', { skip: NO_TERMINAL }, async () => {
    const { person } = await signedInPerson();
    const escape = '\u001b[';
    assert.ok((await runAtTerminal(person, ['team', 'list'], [])).shown.includes(`${escape}1mName`));
    const plain = await runAtTerminal(person, ['team', 'list'], [], 0, { NO_COLOR: '1' });
    assert.match(plain.shown, /^Name +Role/m);
    assert.ok(!plain.shown.includes(escape), plain.shown);
    assert.ok(!(await person.run(['team', 'list'])).stdout.includes(escape));
  });

  test('the first word of a group lists its commands', async () => {
    const person = await newPerson();
    assertRefused(await person.run(['team']), /name a command of team: list, show, members, clients, use/);
    assertRefused(await person.run(['team', 'sho']), /name a command of team: /);
    const help = await person.run(['team', '--help']);
    assert.match(help.stdout, /^ {2}team use +\w/m);
    assert.ok(!help.stdout.includes('whoami'));
  });
});
