import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Memory } from '../../shared/schemas/memories.ts';
import { openTestApp } from '../support/app.ts';
import { addMemory, decided } from '../support/memories.ts';
import { assertRefused, openHomes } from './cli.ts';
import { signedInOwner } from './cli-person.ts';

const service = await openTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const newPerson = await openHomes();

test('cli memories, versions and restore find an archived memory and publish an earlier text', async () => {
  const { company, person, text, data } = await signedInOwner(service, base, newPerson);
  const { id } = await addMemory(company, 'published', {
    title: 'Port',
    content: 'The port is 8443.',
  });
  await decided(company, { action: 'update', memoryId: id, content: 'The port is 443.' });
  await decided(company, { action: 'delete', memoryId: id });
  assert.match(await text('memories', '--state', 'archived'), new RegExp(`${id}  archived  3 .* Port`));
  assert.match(await text('versions', id), /version 2[^]*The port is \[-8443-\]\{\+443\+\}\.[^]*version 1/);
  assertRefused(await person.run(['restore', id]), /--version/);
  assert.equal(await text('restore', id, '--version', '1'), `Port (${id}) is published.\n`);
  const { items } = await data<{ items: Memory[] }>('memories');
  assert.deepEqual(
    items.map(({ content }) => content),
    ['The port is 8443.'],
  );
});

test('cli unpublish and reopen put a memory back into review', async () => {
  const { company, person, text } = await signedInOwner(service, base, newPerson);
  const { id } = await addMemory(company, 'published', { title: 'Port' });
  assert.equal(await text('unpublish', id), `Port (${id}) is in review.\n`);
  await decided(company, { action: 'discard', memoryId: id });
  assert.equal(await text('reopen', id), `Port (${id}) is in review.\n`);
  assertRefused(await person.run(['reopen', id]), /A memory in review cannot be reopened/);
});
