import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { API_TOKEN } from '../support/app.ts';
import { makeResetLink, useLink } from '../support/sign-in.ts';
import { assertRefused, keepSession, type Person } from './cli.ts';
import { cells, openCli, sessionOf } from './cli-person.ts';

const { service, base, newPerson, openOther, owner } = await openCli();

/** The path of a file of a profile. */
const profileFile = ({ home }: Person, ...path: string[]) => join(home, '.config', 'team-memory', ...path);

describe('profiles', () => {
  test('each has a session and a default Team, chosen with --profile or MEMORY_PROFILE', async () => {
    const [company, person] = [await service.company(), await newPerson()];
    const { ownerEmail: email } = company;
    const password = 'a password of this test';
    const link = await makeResetLink(service, company);
    assert.equal((await useLink(service, link.token, password)).statusCode, 200);
    const login = ['login', '--profile', 'work', '--url', base, '--email', email];
    const signedIn = await person.run(login, { input: `${password}\n` });
    assert.equal(signedIn.code, 0, signedIn.stderr);
    // The profile names its service: the variables of another one do not change it.
    const env = { MEMORY_API_TOKEN: API_TOKEN, MEMORY_API_PUBLIC_URL: 'http://127.0.0.1:1' };
    const byOption = await person.run(['whoami', '--json', '--profile', 'work'], { env });
    assert.equal((JSON.parse(byOption.stdout) as { user: { email: string } }).user.email, email);
    const byVariable = await person.run(['whoami'], { env: { MEMORY_PROFILE: 'work' } });
    assert.match(byVariable.stdout, new RegExp(`using the saved session for ${base}`));
    assertRefused(await person.run(['whoami', '--url', base]), /not signed in/);
    assertRefused(await person.run(['whoami', '--profile', 'home']), /profile home has no session: .*login/);
    assertRefused(await person.run(['whoami', '--profile', '../x']), /--profile: expected/);
    await person.run(['team', 'use', company.teamId, '--profile', 'work']);
    assert.deepEqual(cells((await person.run(['profile', 'list'])).stdout), [
      ['Profile', 'Service', 'Email', 'Default Team', 'Vectors of queries'],
      ['default', '-', '-', '-', '-'],
      ['work', base, email, 'Test Team', '-'],
    ]);
    assert.equal((await person.run(['logout', '--profile', 'work'])).code, 0);
    assertRefused(await person.run(['whoami', '--profile', 'work']), /has no session/);
  });
});

describe('the address of a profile', () => {
  /** A person whose session of the profile `work` belongs to this address. */
  async function withProfile(url: string): Promise<Person> {
    const person = await newPerson();
    const sessionFile = profileFile(person, 'profiles', 'work', 'session.json');
    await keepSession({ ...person, sessionFile }, sessionOf(url, 'a-token-of-this-test'));
    return person;
  }
  const refuse: RequestListener = (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'invalid_credentials', detail: 'wrong' }));
  };
  const login = ['login', '--email', 'a@example.com'];
  const input = 'a password\n';

  test('is that of its session when it signs in again', async () => {
    const [own, other] = [await openOther(refuse), await openOther(refuse)];
    const person = await withProfile(own.url);
    const env = { MEMORY_API_PUBLIC_URL: other.url };
    for (const [args, more] of [
      [['--profile', 'work'], {}],
      [[], { MEMORY_PROFILE: 'work' }],
    ] as const) {
      const ended = await person.run([...login, ...args], { input, env: { ...env, ...more } });
      assertRefused(ended, new RegExp(`the service at ${own.url} does not know this email`));
    }
    assert.equal(other.asked.length, 0);
    await writeFile(profileFile(person, 'profiles', 'work', 'session.json'), '{');
    const damaged = await person.run([...login, '--profile', 'work'], { input, env });
    assertRefused(
      damaged,
      /login --profile work, or .*logout --force --profile work: name the address with --url/,
    );
    assert.equal(other.asked.length, 0);
  });
});

describe('a profile and MEMORY_API_TOKEN', () => {
  const env = { MEMORY_API_TOKEN: API_TOKEN };
  /** The email of the account that a command acts for. */
  const actor = async (person: Person, args: string[], more: Record<string, string>) => {
    const ended = await person.run(['whoami', '--json', ...args], { env: more });
    assert.equal(ended.code, 0, ended.stderr);
    return (JSON.parse(ended.stdout) as { user: { email: string } }).user.email;
  };

  test('--profile wins over the token, also as default', async () => {
    const { company, person } = await owner();
    const { ownerEmail } = company;
    assert.equal(await actor(person, ['--url', base], env), 'owner@localhost');
    assert.equal(await actor(person, ['--profile', 'default'], env), ownerEmail);
    const both = { ...env, MEMORY_PROFILE: 'work' };
    assert.equal(await actor(person, ['--profile', 'default'], both), ownerEmail);
  });

  test('both variables in one place are refused, and the environment hides .env', async () => {
    const { company, person } = await owner();
    const both = { ...env, MEMORY_PROFILE: 'work' };
    const refused = await person.run(['whoami', '--url', base], { env: both });
    assertRefused(refused, /MEMORY_API_TOKEN and MEMORY_PROFILE are both set in the environment/);
    const file = join(person.home, '.env');
    await writeFile(file, 'MEMORY_PROFILE=work\n');
    assert.equal(await actor(person, ['--url', base], env), 'owner@localhost');
    await writeFile(file, `MEMORY_API_TOKEN=${API_TOKEN}\n`);
    assert.equal(await actor(person, [], { MEMORY_PROFILE: 'default' }), company.ownerEmail);
    await writeFile(file, `MEMORY_API_TOKEN=${API_TOKEN}\nMEMORY_PROFILE=work\n`);
    assertRefused(await person.run(['whoami', '--url', base]), /are both set in \.env/);
  });
});
