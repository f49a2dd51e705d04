import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../../db/driver/database.ts';
import { createTestCompany, openTestDatabase, type TestCompany } from '../../support/needs/database.ts';
import { addClient } from '../../support/scopes.ts';
import { setLayerCounts } from '../../support/term-counts.ts';

const database = await openTestDatabase();

const MOST_DIM = 2 ** 29;
const [LEAST_INT4, MOST_INT4] = [-(2 ** 31), 2 ** 31 - 1];
const RUNS = 25;

interface Layer {
  chunks: number;
  sampled: number;
  dims: Map<number, number>;
  keys: Map<number, number>;
}

/** The query's side of the ranking, for a caller who can read these layers. */
async function weigh(
  from: Database,
  { teamId }: TestCompany,
  reads: readonly string[],
  asked: { dims: readonly number[]; keys: readonly number[] },
) {
  // As the owner of the tables: no role can call this function by itself.
  return from.transaction(async (tx) => {
    await tx.query(
      "select set_config('app.team', $1, true), set_config('search_path', 'memory, public, pg_temp', true)",
      [teamId],
    );
    const [row] = await tx.query<{
      weights: string | null;
      keys: number[] | null;
      chunks: number;
      detail: { dim: number; documents: number; weight: number }[];
    }>(
      `select weights::text, key_frequencies as keys, chunks, detail
         from memory.weigh_query($1::uuid[], $2::int[], $3::real[], $3::real[], $4::int[], true)`,
      [reads, asked.dims, asked.dims.map(() => 1), asked.keys],
    );
    assert.ok(row);
    return row;
  });
}

/** The df by which a term is weighed: the sum over the layers, each scaled from its sample. 0.5 if it is 1 or less. */
function expected(layers: readonly Layer[], space: 'dims' | 'keys', term: number): number {
  const sum = layers.reduce(
    (df, layer) => df + ((layer[space].get(term) ?? 0) * layer.chunks) / layer.sampled,
    0,
  );
  return sum > 1 ? sum : 0.5;
}

const close = (one: number, other: number) => Math.abs(one - other) <= 1e-4 * Math.max(1, Math.abs(other));

const dim = fc.oneof(fc.integer({ min: 1, max: MOST_DIM }), fc.constantFrom(1, 2, MOST_DIM - 1, MOST_DIM));
const key = fc.oneof(
  fc.integer({ min: LEAST_INT4, max: MOST_INT4 }),
  fc.constantFrom(LEAST_INT4, LEAST_INT4 + 1, -1, 0, 1, MOST_INT4 - 1, MOST_INT4),
);
const countsOf = (term: fc.Arbitrary<number>, known: readonly number[]) =>
  fc
    .array(fc.tuple(fc.oneof(term, fc.constantFrom(...known)), fc.integer({ min: 1, max: 40 })), {
      maxLength: 60,
    })
    .map((pairs) => new Map(pairs));
const layer: fc.Arbitrary<Layer> = fc
  .record({
    sampled: fc.integer({ min: 40, max: 200 }),
    scale: fc.integer({ min: 1, max: 30 }),
    // Some terms in common, so that they occur in several layers.
    dims: countsOf(dim, [5, 6, 7, MOST_DIM - 5]),
    keys: countsOf(key, [-5, 5, 6, LEAST_INT4 + 5]),
  })
  .map(({ scale, ...rest }) => ({ ...rest, chunks: rest.sampled * scale }));

describe('the weights of a query', () => {
  test('come from the sums of the counts of the layers that the caller can read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(layer, { minLength: 1, maxLength: 5 }),
        fc.array(dim, { maxLength: 5 }),
        fc.array(key, { maxLength: 5 }),
        fc.integer({ min: 1, max: 31 }),
        async (layers, absentDims, absentKeys, mask) => {
          const team = await createTestCompany(database);
          const ids = [team.teamId];
          while (ids.length < layers.length) ids.push(await addClient(database, team));
          for (const [nth, { chunks, sampled, dims, keys }] of layers.entries()) {
            await setLayerCounts(database, team, {
              layerId: ids[nth] as string,
              chunks,
              sampled,
              dims,
              keys,
            });
          }
          const all = (space: 'dims' | 'keys') => layers.flatMap((one) => [...one[space].keys()]);
          const asked = {
            dims: [...new Set([...all('dims'), ...absentDims])],
            keys: [...new Set([...all('keys'), ...absentKeys])],
          };
          const readable = layers.filter((_, nth) => mask & (1 << nth));
          const reads = ids.filter((_, nth) => mask & (1 << nth));
          const found = await weigh(database, team, reads, asked);
          assert.equal(
            found.chunks,
            Math.max(
              1,
              readable.reduce((sum, { chunks }) => sum + chunks, 0),
            ),
          );
          for (const [nth, df] of (found.keys ?? []).entries()) {
            const right = expected(readable, 'keys', asked.keys[nth] ?? Number.NaN);
            assert.ok(close(df, right), `${df} and not ${right} of the key ${asked.keys[nth]}`);
          }
          for (const { dim: asDim, documents, weight } of found.detail) {
            const df = Math.min(expected(readable, 'dims', asDim), found.chunks);
            assert.ok(close(documents, df), `${documents} and not ${df} of the dimension ${asDim}`);
            assert.ok(close(weight, Math.log(1 + (found.chunks - df + 0.5) / (df + 0.5))));
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
