import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { column } from '../support/columns.ts';
import { DAYS_APART } from '../support/days.ts';
import { addMemory, decided } from '../support/memories.ts';
import { type Caller } from '../support/team.ts';

const service = await openTestApp();

const hitsOf = async (caller: Caller, query: string) =>
  (await caller.api.searchMemory({ query, scope: {}, embeddingMode: 'keyword' })).hits;
const find = async (caller: Caller, query: string) => column(await hitsOf(caller, query), 'text');

test('a chunk is found by the title of its source, the headings above it and the day of its source', async () => {
  const company = await service.company();
  const text = '# Engines\n\n## Gearbox\n\nChange the oil each year.\n\n## Cooling\n\nFlush it each spring.';
  const { source } = await company.api.ingestSource({ title: 'Walrus handbook', text });
  const [gearbox = '', rest = ''] = text.split('\n\n## Cooling');
  const cooling = `## Cooling${rest}`;
  assert.deepEqual((await find(company, 'walrus')).toSorted(), [cooling, gearbox].toSorted());
  assert.deepEqual((await find(company, 'engines')).toSorted(), [cooling, gearbox].toSorted());
  assert.deepEqual(await find(company, 'walrus gearbox'), [gearbox, cooling]);
  assert.equal((await find(company, source.createdAt.slice(0, 10))).length, 2);
  assert.deepEqual(await find(company, DAYS_APART[0]!), []);
});

test('a word in the text counts more than one in the title, and a long title does not weaken the text', async () => {
  const company = await service.company();
  const ingest = (title: string, text: string) => company.api.ingestSource({ title, text });
  await ingest('Walrus', 'Tides in the northern harbour.');
  await ingest('Harbour', 'The walrus sleeps on the pier.');
  assert.deepEqual(await find(company, 'walrus'), [
    'The walrus sleeps on the pier.',
    'Tides in the northern harbour.',
  ]);
  await ingest('A', 'An ibis wades.');
  await ingest(`B ${'and so on '.repeat(29)}`, 'An ibis stands.');
  const [first, second] = await hitsOf(company, 'ibis');
  assert.equal(first?.score, second?.score);
});

test('a source is found by its tags, and after a change of them by the new ones', async () => {
  const company = await service.company();
  const named = { title: 'Notes', externalId: 'notes' };
  const body = { ...named, text: 'Tides turn twice a day.', tags: ['oyster-farm'] };
  const { source } = await company.api.ingestSource(body);
  assert.deepEqual(await find(company, 'oyster'), [body.text]);
  assert.deepEqual(await find(company, 'oysterfarm'), [body.text]);
  await company.api.changeSource(source.id, { tags: ['mussels'] });
  assert.deepEqual(await find(company, 'oyster'), []);
  assert.deepEqual(await find(company, 'mussels'), [body.text]);
  await company.api.ingestSource({ ...body, tags: ['limpets'] });
  assert.deepEqual(await find(company, 'mussels'), []);
  assert.deepEqual(await find(company, 'limpets'), [body.text]);
  const text = 'Tides turn, and turn again.';
  await company.api.ingestSource({ ...named, text });
  assert.deepEqual(await find(company, 'limpets'), [text]);
});

test('a memory is found by its tags, and after an update of them by the new ones', async () => {
  const company = await service.company();
  const given = { title: 'Paint', content: 'Paint dries in a day.', tags: ['varnish'] };
  const { id: memoryId } = await addMemory(company, 'published', given);
  assert.deepEqual(await find(company, 'varnish'), ['Paint dries in a day.']);
  await decided(company, { action: 'update', memoryId, tags: ['lacquer'] });
  assert.deepEqual(await find(company, 'varnish'), []);
  assert.deepEqual(await find(company, 'lacquer'), ['Paint dries in a day.']);
  const content = 'Paint dries in two days.';
  await decided(company, { action: 'update', memoryId, tags: ['shellac'], content });
  assert.deepEqual(await find(company, 'shellac'), [content]);
});
