import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { halfvecBinary } from '../../../db/driver/wire-format.ts';
import { type SearchFilters } from '../../../db/queries/search/search.ts';
import { newId } from '../../../shared/ids.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { createTestCompany, openTestDatabase, TEST_MODEL_NAME } from '../../support/needs/database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { openStandInVectors } from '../../support/stand-in-vectors.ts';
import { searchIn } from './search-in.ts';

/**
 * Up to so many chunks that pass a filter are gathered; of more, the candidates are looked up. A Team has more than that
 * of each of two kinds.
 */
const GATHERED = 10_000;
/** Of more vectors, the signs are compared first, and the best are looked up. So many chunks of a kind have one. */
const COMPARED_IN_FULL = 1000;
const FAR = 600;
const OF_A_KIND = GATHERED + 100;
/** Of up to 1,000 sources that have the tags, the chunks are found by their ids. */
const TAGGED_SOURCES = 1100;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse('2026-03-01T08:00:00.000Z');

const database = await openTestDatabase();
const vectors = openStandInVectors(3);
const asked = vectors.vector();

/** A source of one chunk that every search below finds, unless a filter or the scope keeps it away. */
interface Heron {
  chunkId: string;
  sourceId: string;
  kind: string;
  clientId: string | null;
  day: number;
  state: string;
}

interface Shelf {
  teamId: string;
  herons: Heron[];
  scopes: Record<string, TeamScope>;
}

/**
 * Chunks of a kind, one a second from the first day on, which no word finds. The first ones have a vector, which is as far
 * from that of the searches as can be.
 */
async function addSilent(teamId: string, ownerId: string, kind: string): Promise<string> {
  const sourceId = newId();
  await database.query(
    `insert into memory.source (team_id, layer_id, id, kind, state, title, tags, content_hash, created_by, chunk_count)
     values ($1, $1, $2, $3, 'active', 'silent', array[$3, 'wide'], $4, $5, ${OF_A_KIND})`,
    [teamId, sourceId, kind, randomBytes(32), ownerId],
  );
  await database.query(
    `insert into memory.chunk (team_id, layer_id, id, source_id, ordinal, text, created_at)
     select $1, $1, gen_random_uuid(), $2, n, 'silent', $3::timestamptz + make_interval(secs => n)
       from generate_series(1, ${OF_A_KIND}) n`,
    [teamId, sourceId, new Date(FIRST_DAY)],
  );
  await database.query(
    `insert into memory.chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
     select $1, $1, c.id, $3, $4 from memory.chunk c where c.source_id = $2 order by c.ordinal limit ${FAR}`,
    [teamId, sourceId, TEST_MODEL_NAME, halfvecBinary(asked.map((value) => -value))],
  );
  return sourceId;
}

/** Sources without chunks, which come before all others in the table and in the index of sources with tags. */
async function addEmpty(teamId: string, ownerId: string): Promise<void> {
  await database.query(
    `insert into memory.source (team_id, layer_id, id, kind, state, title, tags, content_hash, created_by)
     select $1, $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'ingest', 'active', 'empty',
            '{common}', sha256(n::text::bytea), $2
       from generate_series(1, ${TAGGED_SOURCES}) n`,
    [teamId, ownerId],
  );
}

async function openShelf(): Promise<Shelf> {
  const team = await createTestCompany(database);
  const clients = [await addClient(database, team), await addClient(database, team)] as const;
  const whole = ownerScope(team, clients);
  await addEmpty(team.teamId, team.ownerId);
  const herons: Heron[] = [];
  for (const clientId of [null, ...clients]) {
    for (const [day, kind] of ['ingest', 'import', 'memory', 'ingest', 'import'].entries()) {
      const chunks = [{ text: `heron ${herons.length}`, embedding: vectors.vector() }];
      const sourceId = await storeSource(database, whole, { layer: clientId, chunks });
      // The last one is hidden: it is loading, or due.
      const hidden = clientId === null ? 'loading' : 'due';
      const state = day === 4 ? hidden : 'active';
      await database.query(
        `update memory.source set kind = $2, state = $3, tags = $4::text[], expires_at = $5 where id = $1`,
        [
          sourceId,
          kind,
          state === 'due' ? 'active' : state,
          tagsOf(kind, day),
          state === 'due' ? new Date() : null,
        ],
      );
      const [chunk] = await database.query<{ id: string }>(
        'update memory.chunk set created_at = $2 where source_id = $1 returning id',
        [sourceId, new Date(FIRST_DAY + day * DAY_MS)],
      );
      herons.push({ chunkId: chunk?.id ?? '', sourceId, kind, clientId, day, state });
    }
  }
  await addSilent(team.teamId, team.ownerId, 'ingest');
  await addSilent(team.teamId, team.ownerId, 'import');
  return {
    teamId: team.teamId,
    herons,
    scopes: {
      'the whole Team': whole,
      'the Team layer': narrowScope(whole, { include: ['team'] }),
      'a client alone': narrowScope(whole, { include: ['client'], clientId: clients[0] }),
    },
  };
}

/** The tag of its kind and that of empty sources; all except those of the first day also have `wide`. */
const tagsOf = (kind: string, day: number) => [kind, 'common', ...(day === 0 ? [] : ['wide'])];

const passes = (
  { kinds, sourceIds, createdAfter, createdBefore, tags }: SearchFilters,
  heron: Heron,
): boolean => {
  const at = FIRST_DAY + heron.day * DAY_MS;
  return (
    heron.state === 'active' &&
    (kinds?.includes(heron.kind as never) ?? true) &&
    (sourceIds?.includes(heron.sourceId) ?? true) &&
    (tags?.every((tag) => tagsOf(heron.kind, heron.day).includes(tag)) ?? true) &&
    (createdAfter == null || at > createdAfter.getTime()) &&
    (createdBefore == null || at < createdBefore.getTime())
  );
};

const reads = ({ reads, teamId }: TeamScope, { clientId }: Heron): boolean =>
  reads.includes(clientId ?? teamId);

/** The herons that a search finds, and how many chunks passed the filters. Others are found only by their far vector. */
async function search(shelf: Shelf, scope: TeamScope, filters: SearchFilters) {
  const { hits, trace } = await searchIn(database, scope, 'heron', { embedding: asked, ...filters });
  const herons = new Set(shelf.herons.map(({ chunkId }) => chunkId));
  const others = hits.findIndex((hit) => !herons.has(hit.chunk_id));
  const found = hits.map((hit) => hit.chunk_id).filter((id) => herons.has(id));
  assert.ok(others === -1 || others === found.length, 'herons come first');
  return { found: found.sort(), trace };
}

const expected = (shelf: Shelf, scope: TeamScope, filters: SearchFilters) =>
  shelf.herons
    .filter((heron) => reads(scope, heron) && passes(filters, heron))
    .map(({ chunkId }) => chunkId)
    .sort();

/** How many chunks within the scope pass the filters, told by a plain look at each. */
async function countPassing(teamId: string, scope: TeamScope, filters: SearchFilters): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    // Each source is looked up: without statistics, a join can read all chunks for each source.
    `select count(*) from memory.chunk c
      where c.team_id = $1
        and c.layer_id = any ($2::uuid[])
        and ($5::timestamptz is null or c.created_at > $5) and ($6::timestamptz is null or c.created_at < $6)
        and (select s.state = 'active' and s.expires_at is null and ($3::text[] is null or s.kind = any ($3))
                    and ($4::uuid[] is null or s.id = any ($4)) and ($7::text[] is null or s.tags @> $7)
               from memory.source s where s.team_id = $1 and s.id = c.source_id)`,
    [
      teamId,
      scope.reads,
      filters.kinds ?? null,
      filters.sourceIds ?? null,
      filters.createdAfter ?? null,
      filters.createdBefore ?? null,
      filters.tags ?? null,
    ],
  );
  return row?.count ?? 0;
}

const onDay = (day: number) => new Date(FIRST_DAY + day * DAY_MS);

describe('a filter that very many chunks pass', () => {
  let shelf: Shelf;
  let silent: string[];
  const whole = () => shelf.scopes['the whole Team'] as TeamScope;
  before(async () => {
    shelf = await openShelf();
    const found = await database.query<{ id: string }>(
      `select id from memory.source where team_id = $1 and title = 'silent'`,
      [shelf.teamId],
    );
    silent = found.map(({ id }) => id);
  });

  test('any filters return the same chunks as a plain look at each', async () => {
    const kinds = fc.subarray(['ingest', 'import', 'memory'] as const, { minLength: 1 });
    const tags = fc.subarray(['wide', 'common', 'ingest', 'import', 'memory'], {
      minLength: 1,
      maxLength: 2,
    });
    const time = fc.integer({ min: -1, max: 5 * 24 }).map((hours) => new Date(FIRST_DAY + hours * 3_600_000));
    const sourceIds = fc.subarray([...silent, ...shelf.herons.map(({ sourceId }) => sourceId)], {
      minLength: 1,
    });
    const filters = fc.record(
      { kinds, tags, sourceIds, createdAfter: time, createdBefore: time },
      { requiredKeys: [] },
    );
    const scopes = fc.constantFrom(...Object.values(shelf.scopes));
    await fc.assert(
      fc.asyncProperty(filters, scopes, async (given, scope) => {
        const { found, trace } = await search(shelf, scope, given);
        assert.deepEqual(found, expected(shelf, scope, given));
        if (Object.keys(given).length > 0) {
          assert.equal(trace.filtered, await countPassing(shelf.teamId, scope, given));
        }
      }),
      {
        numRuns: 40,
        // All of very many, half, all with a tag, those of few sources that have one, and few.
        examples: [
          [{ createdAfter: new Date(0) }, whole()],
          [{ kinds: ['ingest'] }, whole()],
          [{ tags: ['wide'] }, whole()],
          [{ tags: ['common'], kinds: ['memory'] }, whole()],
          [{ createdAfter: onDay(1) }, whole()],
        ],
      },
    );
  });

  test('vectors are compared by their signs, and looked up', async () => {
    const { trace } = await search(shelf, whole(), { createdAfter: new Date(0) });
    assert.equal(trace.semantic?.path, 'quantised');
    assert.ok(trace.semantic.candidates > COMPARED_IN_FULL);
  });
});
