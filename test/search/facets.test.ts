import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Facets, SearchRequest, SearchResponse } from '../../shared/schemas/search.ts';
import { openTestApp } from '../support/app.ts';
import { addSource } from '../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

const SHAPES: Partial<SearchRequest>[] = [{}, { group: 'source' }, { tags: ['a'] }, { kinds: ['memory'] }];

const ALL = { include: ['team', 'client'] as ('team' | 'client')[] };

function search(caller: Caller, more: Partial<SearchRequest> = {}): Promise<SearchResponse> {
  const body = { query: 'heron', embeddingMode: 'keyword', scope: ALL, topK: 50, ...more } as const;
  return caller.api.searchMemory(body);
}

/** Values with their numbers, the highest first, at most 20. */
function counted(values: readonly string[]): Facets['kind'] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)))
    .slice(0, 20);
}

/** The facets of hits that are all candidates. */
function recount({ hits }: SearchResponse): Facets {
  return {
    kind: counted(hits.map(({ kind }) => kind)),
    client: counted(hits.flatMap(({ client_id }) => client_id ?? [])),
    tag: counted(hits.flatMap(({ tags }) => tags)),
    year: counted(hits.map(({ occurred_at, created_at }) => (occurred_at ?? created_at).slice(0, 4))),
  };
}

test('facets count the candidates by what the hits show, whatever topK, the group and the filters', async () => {
  const company = await service.company();
  const clients = [await addClient(service, company), await addClient(service, company), null];
  const document = fc.record({
    client: fc.constantFrom(...clients),
    tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'ä', 'c')),
    year: fc.constantFrom(undefined, '2019-12-31T23:30:00-01:00', '2019-12-31', '2024-05-01'),
    texts: fc.array(fc.constantFrom('A heron stands.', 'The heron flies.', 'One heron nests.'), {
      minLength: 1,
      maxLength: 3,
    }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 4 }), async (documents) => {
      for (const { client, tags, year, texts } of documents) {
        await addSource(company, {
          title: crypto.randomUUID(),
          tags,
          chunks: texts.map((text, n) => ({ text: `${text} ${n}` })),
          ...(year === undefined ? {} : { occurredAt: year }),
          ...(client === null ? {} : { scope: { clientId: client } }),
        });
      }
      for (const shape of SHAPES) {
        const whole = await search(company, { ...shape, facets: true });
        assert.ok(whole.hits.length < 50, 'all candidates are shown');
        assert.deepEqual(whole.facets, recount(whole));
        const first = await search(company, { ...shape, facets: true, topK: 1 });
        assert.deepEqual(first.facets, whole.facets);
        assert.deepEqual(first.hits, whole.hits.slice(0, 1));
      }
    }),
    { numRuns: 4 },
  );
});

test('a search has facets only on request, with an explanation too; without hits they are empty', async () => {
  const company = await service.company();
  await addSource(company, { text: 'The heron stands.', tags: ['birds'] });
  assert.equal((await search(company)).facets, undefined);
  assert.equal((await search(company, { facets: false })).facets, undefined);
  const { facets, explain } = await search(company, { facets: true, explain: true });
  assert.deepEqual(facets?.tag, [{ value: 'birds', count: 1 }]);
  assert.equal(explain?.keyword.hits, 1);
  const none = await search(company, { facets: true, query: 'walrus' });
  assert.deepEqual(none.facets, { kind: [], client: [], tag: [], year: [] });
});

test('facets show nothing of what the caller cannot read, and at most 20 values each', async () => {
  const company = await service.company();
  const clientId = await addClient(service, company);
  await addSource(company, { text: 'The heron of a client.', tags: ['secret'], scope: { clientId } });
  const tags = Array.from({ length: 20 }, (_, n) => `tag ${n}`);
  await addSource(company, { text: 'The heron of the Team.', tags });
  await addSource(company, { text: 'Another heron of the Team.', tags: ['tag 7', 'more', 'most'] });
  const member = await addPerson(service, company, { teamRole: 'member' });
  const { facets } = await search(member, { facets: true });
  assert.deepEqual(facets?.client, []);
  assert.deepEqual(facets?.kind, [{ value: 'ingest', count: 2 }]);
  assert.equal(facets?.tag.length, 20);
  assert.deepEqual(facets?.tag.slice(0, 2), [
    { value: 'tag 7', count: 2 },
    { value: 'more', count: 1 },
  ]);
});
