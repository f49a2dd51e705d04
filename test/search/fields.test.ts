import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hit } from '../../shared/schemas/search.ts';
import { openTestApp } from '../support/app.ts';
import { addMemory, decided } from '../support/memories.ts';
import { type Caller } from '../support/team.ts';

const service = await openTestApp();

async function find(caller: Caller, query: string): Promise<string[]> {
  const body = { query, scope: {}, embeddingMode: 'keyword' };
  const answer = await caller.ask.searchMemory(body);
  return answer.json<{ hits: Hit[] }>().hits.map((hit) => hit.text);
}

test('a chunk is found by the title of its source, the headings above it and the day of its source', async () => {
  const company = await service.company();
  const text = '# Engines\n\n## Gearbox\n\nChange the oil each year.\n\n## Cooling\n\nFlush it each spring.';
  const answer = await company.ask.ingestSource({ title: 'Walrus handbook', text });
  const { source } = answer.json<{ source: { createdAt: string } }>();
  const [gearbox, cooling] = [
    '# Engines\n\n## Gearbox\n\nChange the oil each year.',
    '## Cooling\n\nFlush it each spring.',
  ];
  assert.deepEqual((await find(company, 'walrus')).toSorted(), [cooling, gearbox].toSorted());
  assert.deepEqual((await find(company, 'engines')).toSorted(), [cooling, gearbox].toSorted());
  assert.deepEqual(await find(company, 'walrus gearbox'), [gearbox, cooling]);
  assert.equal((await find(company, source.createdAt.slice(0, 10))).length, 2);
  assert.deepEqual(await find(company, '1999-12-31'), []);
});

test('a word in the text counts more than one in the title, and a long title does not weaken the text', async () => {
  const company = await service.company();
  const ingest = (title: string, text: string) => company.ask.ingestSource({ title, text });
  await ingest('Walrus', 'Tides in the northern harbour.');
  await ingest('Harbour', 'The walrus sleeps on the pier.');
  assert.deepEqual(await find(company, 'walrus'), [
    'The walrus sleeps on the pier.',
    'Tides in the northern harbour.',
  ]);
  await ingest('A', 'An ibis wades.');
  await ingest(`B ${'and so on '.repeat(29)}`, 'An ibis stands.');
  const scores = async () => {
    const body = { query: 'ibis', scope: {}, embeddingMode: 'keyword' };
    const answer = await company.ask.searchMemory(body);
    return answer.json<{ hits: Hit[] }>().hits.map((hit) => hit.score);
  };
  const [first, second] = await scores();
  assert.equal(first, second);
});

test('a source is found by its tags, and after a change of them by the new ones', async () => {
  const company = await service.company();
  const body = {
    title: 'Notes',
    text: 'Tides turn twice a day.',
    externalId: 'notes',
    tags: ['oyster-farm'],
  };
  const answer = await company.ask.ingestSource(body);
  const { source } = answer.json<{ source: { id: string } }>();
  assert.deepEqual(await find(company, 'oyster'), [body.text]);
  assert.deepEqual(await find(company, 'oysterfarm'), [body.text]);
  const change = (tags: string[]) => company.ask.changeSource(source.id, { tags });
  assert.equal((await change(['mussels'])).statusCode, 200);
  assert.deepEqual(await find(company, 'oyster'), []);
  assert.deepEqual(await find(company, 'mussels'), [body.text]);
  await company.ask.ingestSource({ ...body, tags: ['limpets'] });
  assert.deepEqual(await find(company, 'mussels'), []);
  assert.deepEqual(await find(company, 'limpets'), [body.text]);
  const text = 'Tides turn, and turn again.';
  const { tags: _, ...untagged } = body;
  await company.ask.ingestSource({ ...untagged, text });
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
  await decided(company, {
    action: 'update',
    memoryId,
    tags: ['shellac'],
    content: 'Paint dries in two days.',
  });
  assert.deepEqual(await find(company, 'shellac'), ['Paint dries in two days.']);
});
