import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { API_TOKEN } from '../support/app.ts';
import { accept, givePassword, newEmail, PASSWORD } from '../support/invites.ts';
import { linkToken, useLink } from '../support/sign-in.ts';
import { assertRefused, isKept, type Person, readKept } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, newPerson } = await openCli();
const { database } = service;
const operator = await newPerson();

/** Runs a command with the service's own token. */
const run = (...args: string[]) =>
  operator.run(args, { env: { MEMORY_API_TOKEN: API_TOKEN, MEMORY_API_PUBLIC_URL: base } });

/** Runs a command that must succeed, and returns its data. */
async function data<Data>(...args: string[]): Promise<Data> {
  const ended = await run(...args, '--json');
  assert.deepEqual([ended.code, ended.stderr], [0, '']);
  return JSON.parse(ended.stdout) as Data;
}

interface Made {
  company: { id: string };
  token: string;
}

/** A name that no other Company has. */
const newName = () => `Company ${newId()}`;

const make = (name: string) => data<Made>('company', 'create', '--name', name, '--owner-email', newEmail());

describe('cli company', () => {
  test('create prints the link that makes the Owner, and list shows the Company', async () => {
    const [name, ownerEmail] = [newName(), newEmail()];
    const options = ['--name', name, '--owner-email', ownerEmail, '--team-name', 'Waders'];
    const { code, stdout, stderr } = await run('company', 'create', ...options);
    assert.deepEqual([code, stderr], [0, '']);
    const [made = '', until = '', url = ''] = stdout.split('\n');
    assert.match(made, new RegExp(`^Made the Company ${name} \\([0-9a-f-]{36}\\) with the Team Waders\\.$`));
    assert.match(until, /^The link makes its Owner\. It is valid once, until \S+Z:$/);
    const session = (await accept(service, { token: linkToken(url) })).json<Session>();
    assert.deepEqual(
      [session.company.name, session.company.role, session.user.email, session.teams[0]?.name],
      [name, 'owner', ownerEmail, 'Waders'],
    );
    const { stdout: listed } = await run('company', 'list');
    const line = listed.split('\n').find((each) => each.endsWith(name)) ?? '';
    assert.match(line, new RegExp(`^${session.company.id} +1 +1 +\\d{4}-\\d\\d-\\d\\d +${name}$`));
  });

  test('owner-link makes a new link by name and by id, and a reset link once there is an Owner', async () => {
    const name = newName();
    const { company, token } = await make(name);
    const { url } = await data<{ url: string }>('company', 'owner-link', name);
    assert.equal((await accept(service, { token })).statusCode, 410);
    assert.equal((await accept(service, { token: linkToken(url) })).statusCode, 201);
    const reset = await run('company', 'owner-link', company.id);
    const [link = '', until] = reset.stdout.split('\n');
    assert.match(until ?? '', /^valid once, until \S+Z$/);
    assert.equal((await useLink(service, linkToken(link), PASSWORD)).statusCode, 200);
    assertRefused(await run('company', 'owner-link', company.id, '--email', newEmail()), /not_found/);
  });

  test('delete ends a Company only with its name', async () => {
    const name = newName();
    const { company } = await make(name);
    assertRefused(await run('company', 'delete', company.id), /--name: required/);
    assertRefused(await run('company', 'delete', company.id, '--name', 'Another'), /invalid_request: \/name/);
    const ended = await run('company', 'delete', company.id, '--name', name);
    assert.deepEqual(ended, { code: 0, stdout: `Ended the Company ${name} (${company.id}).\n`, stderr: '' });
    assertRefused(await run('company', 'delete', name, '--name', name), /there is no Company/);
  });

  test('lists the candidates of a name that several Companies have, and refuses other credentials', async () => {
    const name = newName();
    const [one, other] = [await make(name), await make(name)];
    const ended = await run('company', 'owner-link', name);
    assertRefused(ended, /several Companies are named/);
    for (const { company } of [one, other]) assert.ok(ended.stderr.includes(company.id));
    assertRefused(await run('company', 'create', '--owner-email', newEmail()), /--name: required/);
    assertRefused(await run('company', 'create', '--name', name), /--owner-email: required/);
    const { token } = await service.company();
    const env = { MEMORY_API_TOKEN: token, MEMORY_API_PUBLIC_URL: base };
    assertRefused(await operator.run(['company', 'list'], { env }), /forbidden/);
  });
});

describe('cli login with an email of several Companies', () => {
  const login = (person: Person, email: string, ...options: string[]) =>
    person.run(['login', '--email', email, '--url', base, ...options], { input: `${PASSWORD}\n` });

  test('asks for --company, and accepts its name or its id', async () => {
    const [first, second, email] = [await service.company(), await service.company(), newEmail()];
    const names = { [first.companyId]: newName(), [second.companyId]: newName() };
    for (const { companyId, ownerId } of [first, second]) {
      await givePassword(service, ownerId, PASSWORD);
      await database.query('update identity.account set email = $2 where id = $1', [ownerId, email]);
      await database.query('update identity.company set name = $2 where id = $1', [
        companyId,
        names[companyId],
      ]);
    }
    const person = await newPerson();
    const refused = await login(person, email);
    assertRefused(refused, /several Companies: choose one with --company: /);
    for (const [id, name] of Object.entries(names)) assert.ok(refused.stderr.includes(`${name} (${id})`));
    assert.equal(await isKept(person), false);
    for (const given of [names[first.companyId]!.toUpperCase(), first.companyId, second.companyId]) {
      const ended = await login(person, email, '--company', given);
      assert.equal(ended.code, 0, ended.stderr);
      const [row] = await database.query<{ company: string }>(
        'select company_id as company from identity.session order by created_at desc, id desc limit 1',
      );
      assert.equal(row?.company, given === second.companyId ? second.companyId : first.companyId);
    }
    const { token } = await readKept(person);
    assertRefused(await login(person, email, '--company', 'Another'), /there is no Company "Another"/);
    assert.equal((await readKept(person)).token, token);
  });

  test('keeps no session of another Company than --company names', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const person = await newPerson();
    const count = () => database.query('select from identity.session where user_id = $1', [company.ownerId]);
    const before = (await count()).length;
    assertRefused(await login(person, company.ownerEmail, '--company', 'Another'), /there is no Company/);
    assert.equal(await isKept(person), false);
    assert.equal((await count()).length, before);
    assert.equal((await login(person, company.ownerEmail, '--company', 'test company')).code, 0);
    assertRefused(
      await login(person, company.ownerEmail, '--company', newId()),
      /does not know this email with this password/,
    );
  });
});
