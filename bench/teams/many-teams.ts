import type { Database } from '../../db/driver/database.ts';
import { int4ArrayBinary } from '../../db/driver/wire-format.ts';
import { newId } from '../../shared/ids.ts';
import { chunkTerms, TERMS_VERSION } from '../../shared/text/terms/terms.ts';
import { createTestCompany, type TestCompany } from '../../test/support/needs/database.ts';
import { openNaturalText } from '../support/natural-text.ts';

/** Different chunks. The Teams are made from them. */
const POOL = 2000;
const CHUNKS_PER_SOURCE = 50;
const TEAMS_PER_COMPANY = 100;

/** The texts of all chunks, stored once as rows from which Teams are made. */
export type ChunkPool = readonly string[];

export async function storePool(database: Database, folder: string): Promise<ChunkPool> {
  const natural = await openNaturalText(folder, 10_000);
  const texts = Array.from({ length: POOL }, () => natural.chunk());
  await database.query(
    'create table public.pool (nth int primary key, text text, weights public.sparsevec(536870912))',
  );
  for (const [nth, text] of texts.entries()) {
    const { dims, weights } = chunkTerms('', text);
    const elements = Array.from(dims, (dim, at) => `${dim}:${weights[at]}`).join(',');
    await database.query('insert into public.pool values ($1, $2, $3::text::public.sparsevec)', [
      nth,
      text,
      `{${elements}}/536870912`,
    ]);
  }
  return texts;
}

/** Makes a Team of so many chunks of the pool, in the Team layer, without vectors. */
async function fillTeam(
  database: Database,
  pool: ChunkPool,
  { teamId, ownerId }: TestCompany,
  chunks: number,
  nth: number,
): Promise<void> {
  const places = Array.from({ length: chunks }, (_, n) => (nth * 7919 + n * 13) % POOL);
  const ids = places.map(() => newId());
  const sources = Array.from({ length: Math.ceil(chunks / CHUNKS_PER_SOURCE) }, () => newId());
  // The keys of each Team are its own.
  const keys = places.map((place) => chunkTerms(teamId, pool[place]!).keys);
  const flat = new Int32Array(keys.reduce((sum, some) => sum + some.length, 0));
  let at = 0;
  const ends = keys.map((some) => {
    flat.set(some, at);
    at += some.length;
    return at;
  });
  await database.transaction(async (tx) => {
    // As the service has it. With the default of 4 MB, merging so many keys took longer than a statement can.
    await tx.query("set local gin_pending_list_limit = '512kB'");
    await tx.query(
      `insert into memory.source
         (team_id, layer_id, id, kind, title, state, content_hash, chunk_count, created_by, terms_version)
       select $1, $1, s.id, 'ingest', 'Source ' || s.nth, 'active', uuid_send(s.id), least($4, $5 - (s.nth - 1) * $4), $3, $6
         from unnest($2::uuid[]) with ordinality s (id, nth)`,
      [teamId, sources, ownerId, CHUNKS_PER_SOURCE, chunks, TERMS_VERSION],
    );
    await tx.query(
      `insert into memory.chunk (team_id, layer_id, id, source_id, ordinal, text)
       select $1, $1, c.id, ($4::uuid[])[(c.nth - 1) / $5 + 1], (c.nth - 1) % $5, p.text
         from unnest($2::uuid[], $3::int[]) with ordinality c (id, place, nth) join public.pool p on p.nth = c.place`,
      [teamId, ids, places, sources, CHUNKS_PER_SOURCE],
    );
    await tx.query(
      `insert into memory.chunk_keyword (team_id, layer_id, chunk_id, weights, keys)
       select $1, $1, c.id, p.weights, ($4::int[])[c.first:c.last]
         from (select u.id, u.place, u.last, coalesce(lag(u.last) over (order by u.nth), 0) + 1 as first
                 from unnest($2::uuid[], $3::int[], $5::int[]) with ordinality u (id, place, last, nth)) c
         join public.pool p on p.nth = c.place`,
      [teamId, ids, places, int4ArrayBinary(flat), ends],
    );
  });
}

/** Makes Teams of `chunks` chunks each, a hundred to a Company. */
export async function makeTeams(
  database: Database,
  pool: ChunkPool,
  teams: number,
  chunks: number,
  note: (made: number) => void,
): Promise<TestCompany[]> {
  const made: TestCompany[] = [];
  while (made.length < teams) {
    const company = await createTestCompany(database);
    const some = [company];
    for (let n = 1; n < Math.min(TEAMS_PER_COMPANY, teams - made.length); n += 1) {
      const teamId = newId();
      await database.query(
        'insert into identity.team (company_id, id, name, folded_name) values ($1, $2, $3, $3)',
        [company.companyId, teamId, `Team ${n}`],
      );
      some.push({ ...company, teamId });
    }
    for (const team of some) {
      await fillTeam(database, pool, team, chunks, made.length);
      made.push(team);
    }
    note(made.length);
  }
  return made;
}
