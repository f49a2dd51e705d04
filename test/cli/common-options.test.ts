import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findTeam } from '../../cli/client/signed-in.ts';
import { newId } from '../../shared/ids.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { addTeam } from '../support/team.ts';
import { assertRefused, type Person } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, owner } = await openCli();
const { database } = service;

/** The path of a file of a profile. */
const profileFile = ({ home }: Person, ...path: string[]) => join(home, '.config', 'team-memory', ...path);

/** Gives a Team a name. */
const nameTeam = (teamId: string, name: string) =>
  database.query('update identity.team set name = $2 where id = $1', [teamId, name]);

/** The names of the Team that a command has used. */
const usedTeam = (stdout: string) => (JSON.parse(stdout) as { name: string }).name;

describe('a Team given by its name', () => {
  test('is found without regard to case and spaces around it, and by its id', async () => {
    const { company, data } = await owner();
    const teamId = await addTeam(service, company);
    await nameTeam(teamId, 'Straße Süd');
    for (const given of ['straße süd', ' STRASSE SÜD ', teamId, teamId.toUpperCase()]) {
      const { name } = await data<{ name: string }>('team', 'show', '--team', given);
      assert.equal(name, 'Straße Süd');
    }
  });

  test('is refused if it is unknown or ambiguous, with the candidates and their ids', async () => {
    const { company, person } = await owner();
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
});

describe('the default Team', () => {
  test('is used without --team, and --team wins over it', async () => {
    const { company, person, text, data } = await owner();
    const teamId = await addTeam(service, company);
    await nameTeam(teamId, 'Second');
    assertRefused(await person.run(['team', 'show']), /several Teams: choose one with --team.*team use/);
    assert.equal(await text('team', 'use', 'second'), 'Commands without --team use the Team Second.\n');
    const used = async (...args: string[]) => (await data<{ name: string }>('team', 'show', ...args)).name;
    assert.deepEqual([await used(), await used('--team', company.teamId)], ['Second', 'Test Team']);
    assertRefused(await person.run(['team', 'use', 'Third']), /no Team named "Third"/);
    const { mode } = await stat(profileFile(person, 'settings.json'));
    assert.equal(mode & 0o777, 0o600);
  });

  test('has no effect on an agent token, and on another service', async () => {
    const { company, person } = await owner();
    const teamId = await addTeam(service, company);
    await person.run(['team', 'use', teamId]);
    const agent = await createAgent(service, company, company);
    const env = { MEMORY_API_TOKEN: agent.token };
    const ended = await person.run(['team', 'show', '--json', '--url', base], { env });
    assert.equal(usedTeam(ended.stdout), 'Test Team', ended.stderr);
    const team = { url: 'http://127.0.0.1:1', id: teamId, name: 'Elsewhere' };
    await writeFile(profileFile(person, 'settings.json'), JSON.stringify({ team }));
    assertRefused(await person.run(['team', 'show']), /several Teams/);
  });
});

describe('output', () => {
  test('is JSON with --json, of a command that fails only what it has done', async () => {
    const { person } = await owner();
    const whoami = JSON.parse((await person.run(['whoami', '--json'])).stdout) as {
      url: string;
      teams: object[];
    };
    assert.deepEqual([whoami.url, whoami.teams.length], [base, 1]);
    await writeFile(join(person.home, 'a.xyz'), 'no format');
    await writeFile(join(person.home, 'b.txt'), '');
    const ended = await person.run(['import', '.', '--json', '--dry-run']);
    const { files } = JSON.parse(ended.stdout) as { files: { name: string; state: string }[] };
    assert.deepEqual(files.map(({ name }) => name).sort(), ['a.xyz', 'b.txt']);
    assertRefused(await person.run(['team', 'show', '--json', '--team', 'none of them']), /no Team named/);
  });
});
