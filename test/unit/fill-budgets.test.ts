import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addNeighbours, fillWithHits } from '../../core/search/answer.ts';
import type { Hit } from '../../shared/schemas/search.ts';
import type { Chunk } from '../../shared/schemas/sources.ts';

const MAX_NEIGHBOUR_CHARACTERS = 32_000;

const count = (text: string) => Array.from(text).length;
const countAll = (chunks: readonly Chunk[]) => chunks.reduce((sum, { text }) => sum + count(text), 0);
/** All chunks that an answer has of a hit. */
const chunksOf = (hit: Hit) => [hit, ...(hit.passages ?? []), ...neighboursOf(hit)];
const neighboursOf = (hit: Hit) => [...(hit.before ?? []), ...(hit.after ?? [])];

/** A chunk with what an answer depends on. */
const makeChunk = (source: number, ordinal: number, text: string) =>
  ({
    chunk_id: `${source}:${ordinal}`,
    source_id: `source ${source}`,
    text,
    ordinal,
    client_id: null,
  }) as Chunk;

function makeHit(chunk: Chunk, others?: readonly Chunk[]): Hit {
  const passages = others === undefined ? {} : { passages: [chunk, ...others] };
  return { ...chunk, score: 1, semantic_rank: null, keyword_rank: 1, duplicates: 0, ...passages };
}

/** A chunk of a source, of 𝔸, which has two code units. */
const plain = (ordinal: number, characters: number, source = 1) =>
  makeChunk(source, ordinal, '𝔸'.repeat(characters));

/** The ordinals of a hit with its neighbours: those before, its own, those after. */
const layout = (hit: Hit) => [
  hit.before?.map(({ ordinal }) => ordinal),
  hit.ordinal,
  hit.after?.map(({ ordinal }) => ordinal),
];

const sources = fc.array(
  fc.array(fc.oneof(fc.constantFrom(1, 10, 1000), fc.integer({ min: 1, max: 9000 })), {
    minLength: 1,
    maxLength: 12,
  }),
  { minLength: 1, maxLength: 4 },
);

/** Sources, the order of all their chunks, and how the best of them are asked for. */
const searches = fc
  .record({
    sources,
    order: fc.infiniteStream(fc.nat()),
    topK: fc.integer({ min: 0, max: 50 }),
    bySource: fc.boolean(),
    maxCharacters: fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: Number.POSITIVE_INFINITY }),
    distance: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ sources: lengths, order, topK, bySource, ...rest }) => {
    const chunks = lengths.flatMap((source, nth) =>
      source.map((characters, ordinal) => plain(ordinal, characters, nth)),
    );
    const places = new Map(chunks.map((chunk) => [chunk, order.next().value]));
    const ranked = chunks.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    const found = bySource
      ? [...Map.groupBy(ranked, (chunk) => chunk.source_id).values()].map(([first, ...others]) =>
          makeHit(first!, others.slice(0, 2)),
        )
      : ranked.map((chunk) => makeHit(chunk));
    return { ...rest, chunks, found: found.slice(0, topK) };
  });

type Search = typeof searches extends fc.Arbitrary<infer T> ? T : never;

/** What the service does, with the chunks that the database would return. */
function shape({ chunks, found, maxCharacters, distance }: Search): Hit[] {
  const filled = fillWithHits(found, maxCharacters);
  if (distance === 0) return filled.hits;
  const ids = new Set(filled.hits.map((hit) => hit.chunk_id));
  const isNearby = (chunk: Chunk) =>
    filled.hits.some(
      (hit) => hit.source_id === chunk.source_id && Math.abs(hit.ordinal - chunk.ordinal) <= distance,
    );
  const nearby = chunks.filter((chunk) => !ids.has(chunk.chunk_id) && isNearby(chunk));
  return addNeighbours(filled, nearby, distance);
}

const check = (property: (search: Search, hits: Hit[]) => void) =>
  fc.assert(fc.property(searches, (search) => property(search, shape(search))));

describe('the shape of an answer', () => {
  it('has no chunk twice, except the hit as the first of its passages', () =>
    check((_search, hits) => {
      const ids = hits.flatMap((hit) => {
        const [own, ...others] = hit.passages ?? [hit];
        assert.equal(own?.chunk_id, hit.chunk_id);
        return [hit, ...others, ...neighboursOf(hit)].map((chunk) => chunk.chunk_id);
      });
      assert.equal(new Set(ids).size, ids.length);
    }));

  it('has the best hits in their order, and all of them without a budget', () =>
    check(({ found, maxCharacters }, hits) => {
      const idsOf = (some: readonly Hit[]) => some.map((hit) => hit.chunk_id);
      assert.deepEqual(idsOf(hits), idsOf(found.slice(0, hits.length)));
      if (maxCharacters === Number.POSITIVE_INFINITY) assert.equal(hits.length, found.length);
    }));

  it('has at most the characters of its budget, and ends before the first hit that does not fit', () =>
    check(({ found, maxCharacters }, hits) => {
      const own = (hit: Hit) => count(hit.text) * (hit.passages === undefined ? 1 : 2);
      const ofHits = hits.reduce((sum, hit) => sum + own(hit), 0);
      const all = countAll(hits.flatMap(chunksOf));
      const next = found[hits.length];
      if (next !== undefined) assert.ok(ofHits + own(next) > maxCharacters);
      if (hits.length === 1 && ofHits > maxCharacters) assert.equal(all, ofHits, 'the first hit is alone');
      else assert.ok(all <= maxCharacters);
    }));

  it('has at most 32,000 characters of neighbours, the nearest first and without a gap in the text', () =>
    check(({ distance }, hits) => {
      const total = hits.reduce((sum, hit) => sum + countAll(neighboursOf(hit)), 0);
      assert.ok(total <= MAX_NEIGHBOUR_CHARACTERS);
      const shown = new Set(hits.flatMap(chunksOf).map((chunk) => chunk.chunk_id));
      for (const hit of hits) {
        if (distance === 0) {
          assert.ok(hit.before === undefined && hit.after === undefined);
          continue;
        }
        const run = [...(hit.before ?? []), hit, ...(hit.after ?? [])];
        for (const [index, chunk] of run.entries()) {
          assert.equal(chunk.source_id, hit.source_id);
          assert.ok(Math.abs(chunk.ordinal - hit.ordinal) <= distance);
          const previous = run[index - 1];
          if (previous === undefined) continue;
          assert.ok(previous.ordinal < chunk.ordinal, 'in the order of the document');
          for (let between = previous.ordinal + 1; between < chunk.ordinal; between += 1) {
            const id = chunk.chunk_id.replace(/:\d+$/, `:${between}`);
            assert.ok(shown.has(id), 'a chunk between them is elsewhere in the answer');
          }
        }
      }
    }));

  it('gives each hit all its neighbours if they fit and belong to no better hit', () =>
    check(({ chunks, distance, maxCharacters }, hits) => {
      fc.pre(maxCharacters === Number.POSITIVE_INFINITY && distance > 0);
      fc.pre(countAll(chunks) <= MAX_NEIGHBOUR_CHARACTERS);
      const taken = new Set(hits.flatMap((hit) => [hit, ...(hit.passages ?? [])]).map((c) => c.chunk_id));
      for (const hit of hits) {
        const expected = chunks.filter(
          (chunk) =>
            chunk.source_id === hit.source_id &&
            Math.abs(chunk.ordinal - hit.ordinal) <= distance &&
            !taken.has(chunk.chunk_id),
        );
        assert.deepEqual(
          neighboursOf(hit).map((chunk) => chunk.chunk_id),
          expected.map((chunk) => chunk.chunk_id),
        );
        for (const chunk of expected) taken.add(chunk.chunk_id);
      }
    }));

  it('gives a hit no neighbour in another layer, where its source was moved in between', () => {
    const hits = [makeHit(plain(1, 1))];
    const moved = [0, 2].map((ordinal): Chunk => ({ ...plain(ordinal, 1), layer: 'client', client_id: 'a' }));
    const room = Number.POSITIVE_INFINITY;
    assert.deepEqual(addNeighbours({ hits, room }, moved, 1).map(layout), [[[], 1, []]]);
    assert.deepEqual(addNeighbours({ hits, room }, [plain(0, 1)], 1).map(layout), [[[0], 1, []]]);
  });

  it('fills the neighbours of the best hit first, and ends a side before a chunk that does not fit', () => {
    const hits = [makeHit(plain(5, 10)), makeHit(plain(9, 10))];
    const lengths = Object.entries({ 3: 10, 4: 20_000, 6: 12_001, 7: 1, 8: 100, 10: 11_999 });
    const nearby = lengths.map(([ordinal, characters]) => plain(Number(ordinal), characters));
    const shaped = addNeighbours({ hits, room: Number.POSITIVE_INFINITY }, nearby, 2);
    assert.deepEqual(shaped.map(layout), [
      [[3, 4], 5, []],
      [[7, 8], 9, []],
    ]);
  });

  it('counts characters, not code units, and fills passages after all hits', () => {
    const first = makeHit(plain(0, 100, 1), [plain(1, 300, 1), plain(2, 10, 1)]);
    const second = makeHit(plain(0, 100, 2), [plain(1, 90, 2), plain(2, 11, 2)]);
    const { hits, room } = fillWithHits([first, second], 500);
    assert.deepEqual(
      hits.map((hit) => hit.passages?.map(({ ordinal }) => ordinal)),
      [[0], [0, 1]],
    );
    assert.equal(room, 10);
  });
});
