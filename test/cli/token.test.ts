import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IssuedToken, Token } from '../../shared/schemas/tokens.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { column } from '../support/columns.ts';
import { addClient, addPerson } from '../support/team.ts';
import { assertRefused } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, owner } = await openCli();

const READ = ['--permission', 'memory:read'];

describe('cli token', () => {
  test('create prints a token that works as MEMORY_API_TOKEN, with the chosen rights', async () => {
    const { company, person, text, data } = await owner();
    const clientId = await addClient(service, company);
    const created = await text('token', 'create', 'nightly', ...READ, '--client', 'A client', '--days', '3');
    const [token = '', about] = created.split('\n');
    assert.match(about ?? '', /^The token of nightly, until \d{4}-\d\d-\d\d\. It is not shown again\.$/);
    const env = { MEMORY_API_TOKEN: token };
    const used = await person.run(['search', 'x', '--url', base], { env });
    assert.equal(used.code, 0, used.stderr);
    const whoami = await person.run(['whoami', '--url', base], { env });
    assert.match(whoami.stdout, /^as the agent token nightly, which permits memory:read$/m);
    const written = await person.run(['ingest', '--title', 'x', '--url', base], { env, input: 'text' });
    assertRefused(written, /permission_required.*memory:write/);
    const [record] = (await data<{ items: Token[] }>('token', 'list')).items;
    assert.deepEqual([record?.clientIds, record?.permissions], [[clientId], ['memory:read']]);
    const lasts = Date.parse(String(record?.expiresAt)) - Date.parse(String(record?.createdAt));
    assert.equal(Math.round(lasts / 86_400_000), 3);
  });

  test('create limits a token to the Team layer, and refuses a wrong request before it is sent', async () => {
    const { person, data } = await owner();
    const { record } = await data<IssuedToken>('token', 'create', 'a', ...READ, '--team-layer-only');
    assert.deepEqual(record.clientIds, []);
    const create = (...args: string[]) => person.run(['token', 'create', ...args]);
    assertRefused(await create('a'), /--permission: required; one or more of memory:read/);
    assertRefused(await create('a', '--permission', 'all'), /--permission: expected memory:read, /);
    assertRefused(await create(), /name a name/);
  });

  test('rotate gives a new secret, by the name of the token', async () => {
    const { person, data } = await owner();
    const first = await data<IssuedToken>('token', 'create', 'nightly', ...READ);
    const second = await data<IssuedToken>('token', 'rotate', 'nightly');
    assert.equal(second.record.id, first.record.id);
    const whoami = (token: string) =>
      person.run(['whoami', '--url', base], { env: { MEMORY_API_TOKEN: token } });
    assertRefused(await whoami(first.token), /unauthenticated/);
    assert.equal((await whoami(second.token)).code, 0);
    const third = await data<IssuedToken>('token', 'rotate', first.record.id, '--overlap-hours', '1');
    for (const { token } of [second, third]) assert.equal((await whoami(token)).code, 0);
  });

  test('list shows active tokens, and revoke ends one by its name or id', async () => {
    const { person, text, data } = await owner();
    const ids: string[] = [];
    for (const name of ['one', 'two', 'two'])
      ids.push((await data<IssuedToken>('token', 'create', name, ...READ)).record.id);
    const ambiguous = await person.run(['token', 'revoke', 'two']);
    assertRefused(ambiguous, /several active tokens are named "two"/);
    for (const id of ids.slice(1)) assert.ok(ambiguous.stderr.includes(id));
    assertRefused(await person.run(['token', 'revoke', 'three']), /no active token named "three".*one \(/);
    assert.equal(await text('token', 'revoke', 'one'), `Revoked the token ${ids[0]}.\n`);
    await text('token', 'revoke', String(ids[1]));
    const table = await text('token', 'list');
    assert.match(table, /^Token +State +Expires +Last used +Permissions +Name$/m);
    assert.match(table, new RegExp(`^${ids[2]} {2}active +[\\d-]+ {2}- +memory:read {2}two$`, 'm'));
    assert.equal(table.trimEnd().split('\n').length, 2);
    assert.equal((await data<{ items: Token[] }>('token', 'list', '--all')).items.length, 3);
    await text('token', 'revoke', 'two');
    assert.equal(await text('token', 'list'), 'No agent tokens.\n');
  });

  test('--team-wide lists and revokes the tokens of everyone in the Team', async () => {
    const { company, text, data } = await owner();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, member, company, { permissions: ['memory:read'] });
    assert.equal(await text('token', 'list'), 'No agent tokens.\n');
    const table = await text('token', 'list', '--team-wide');
    assert.match(table, new RegExp(`^${agent.record.id} .*An agent {2}Someone$`, 'm'));
    await text('token', 'revoke', 'An agent', '--team-wide');
    const { items } = await data<{ items: Token[] }>('token', 'list', '--team-wide', '--all');
    assert.deepEqual(column(items, 'state'), ['revoked']);
  });
});
