import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit } from '../../../shared/schemas/search.ts';
import type { Chunk } from '../../../shared/schemas/sources.ts';
import { openTestApp } from '../../support/app.ts';
import { via } from '../../support/client/client.ts';
import { expand } from '../../support/memories.ts';
import { openSecondApp } from '../../support/second-app.ts';
import { addSource, readSource } from '../../support/source-library.ts';
import { addClient, along, CLAIM } from '../../support/team.ts';
import { moved } from './moving.ts';

const service = await openTestApp();
const MOVES = 60;
const CHUNKS = 3;
const BOTH = { include: ['team', 'client'] };

/** The layers of chunks, each once. */
const layersOf = (chunks: readonly Chunk[]) => [...new Set(chunks.map(({ client_id }) => client_id))];

describe('a source that is moved while others search', () => {
  test('is in exactly one layer in every answer', async (t) => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const mover = await openSecondApp(t, service);
    const chunks = Array.from({ length: CHUNKS }, (_, n) => ({
      text: `the ocelot sleeps ${n}`,
      embedding: along(1, n + 1),
    }));
    const source = await addSource(company, { chunks, ...CLAIM });
    await addSource(company, { text: 'an ocelot of the Team' });
    await addSource(company, { text: 'an ocelot of the client', scope: { clientId } });
    const [first] = (await readSource(company, source.id)).chunks;
    assert.ok(first);

    const search = async (scope: object, mode: object): Promise<Hit[]> => {
      const body = { query: 'ocelot', scope, topK: 50, neighbours: 1, ...mode };
      const { hits } = await company.api.searchMemory(body);
      return hits.filter(({ source_id }) => source_id === source.id);
    };
    const MODES = [{ embeddingMode: 'keyword' }, { queryEmbedding: along(1), ...CLAIM }];
    const seen = new Set<string | null>();
    const inBoth = (mode: object) => async () => {
      const hits = await search(BOTH, mode);
      assert.equal(hits.length, CHUNKS, 'each chunk is found once');
      assert.equal(new Set(hits.map(({ chunk_id }) => chunk_id)).size, CHUNKS);
      const all = hits.flatMap((hit) => [hit, ...(hit.before ?? []), ...(hit.after ?? [])]);
      assert.equal(layersOf(all).length, 1, 'all are in one layer');
      seen.add(hits[0]!.client_id);
    };
    const inOne = (scope: object, layer: string | null) => async () => {
      const hits = await search(scope, MODES[1]!);
      assert.ok(hits.length === 0 || hits.length === CHUNKS, `${hits.length} of its chunks are found`);
      const all = hits.flatMap((hit) => [hit, ...(hit.before ?? []), ...(hit.after ?? [])]);
      assert.deepEqual(layersOf(all), hits.length === 0 ? [] : [layer]);
    };
    const opened = async () => {
      const shown = await expand(company, first.chunk_id);
      assert.deepEqual([shown.length, layersOf(shown).length], [CHUNKS, 1], 'an expand returns it once');
      const read = await readSource(company, source.id);
      assert.deepEqual([read.chunks.length, layersOf(read.chunks)], [CHUNKS, [read.clientId]]);
      const listed = (await company.api.listSources({ limit: 200 })).items.filter(
        ({ id }) => id === source.id,
      );
      assert.equal(listed.length, 1, 'a list shows it once');
    };
    const readers = [
      ...MODES.map(inBoth),
      inOne({ include: ['team'] }, null),
      inOne({ clientId, include: ['client'] }, clientId),
      opened,
    ];

    let isMoving = true;
    const moves = (async () => {
      try {
        for (let n = 0; n < MOVES; n++)
          await moved(via(mover, company), source.id, n % 2 === 0 ? clientId : null);
      } finally {
        isMoving = false;
      }
    })();
    const reads = readers.map(async (read) => {
      do await read();
      while (isMoving);
    });
    await Promise.all([moves, ...reads]);
    assert.deepEqual([...seen].sort(), [clientId, null].sort(), 'it was found in both layers');
  });
});
