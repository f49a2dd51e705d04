import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Memory } from '../../shared/schemas/memories.ts';
import { column } from '../support/columns.ts';
import { addMemory, decided } from '../support/memories.ts';
import { addClient } from '../support/team.ts';
import { assertRefused } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, owner } = await openCli();

test('cli memories, versions and restore find an archived memory, publish an earlier text, and filter', async () => {
  const { company, person, text, data } = await owner();
  const { id } = await addMemory(company, 'published', { title: 'Port', content: 'The port is 8443.' });
  await decided(company, { action: 'update', memoryId: id, content: 'The port is 443.' });
  await decided(company, { action: 'delete', memoryId: id });
  assert.match(await text('memories', '--state', 'archived'), new RegExp(`${id}  archived  3 .* Port`));
  assert.match(await text('versions', id), /version 2[^]*The port is \[-8443-\]\{\+443\+\}\.[^]*version 1/);
  assertRefused(await person.run(['restore', id]), /--version/);
  assert.equal(await text('restore', id, '--version', '1'), `Port (${id}) is published.\n`);
  const clientId = await addClient(service, company);
  await addMemory(company, 'published', { title: 'Door', content: 'The door is open.' }, clientId);
  for (const [args, expected] of [
    [['--containing', 'port'], ['The port is 8443.']],
    [['--client', 'a client'], ['The door is open.']],
  ] as const) {
    const { items } = await data<{ items: Memory[] }>('memories', ...args);
    assert.deepEqual(column(items, 'content'), expected);
  }
});

test('cli unpublish and reopen put a memory back into review', async () => {
  const { company, person, text } = await owner();
  const { id } = await addMemory(company, 'published', { title: 'Port' });
  assert.equal(await text('unpublish', id), `Port (${id}) is in review.\n`);
  await decided(company, { action: 'discard', memoryId: id });
  assert.equal(await text('reopen', id), `Port (${id}) is in review.\n`);
  assertRefused(await person.run(['reopen', id]), /A memory in review cannot be reopened/);
});
