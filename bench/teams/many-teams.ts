import type { Database } from '../../db/driver/database.ts';
import { int4ArrayBinary } from '../../db/driver/wire-format.ts';
import { newId } from '../../shared/ids.ts';
import { finishHash, hashState } from '../../shared/text/hash.ts';
import { foldWord } from '../../shared/text/terms/fold.ts';
import { BEGINNING_LENGTH } from '../../shared/text/terms/keys.ts';
import { chunkTerms, TERMS_VERSION } from '../../shared/text/terms/terms.ts';
import { countWords } from '../../shared/text/terms/words.ts';
import { createTestCompany, type TestCompany } from '../../test/support/needs/database.ts';
import { openNaturalText } from '../support/natural-text.ts';

/** Different chunks. The Teams are made from them. */
const POOL = 2000;
const CHUNKS_PER_SOURCE = 50;
const TEAMS_PER_COMPANY = 100;

/** What is hashed with the id of a Team for the keys of a chunk, without those of pieces. */
function keyTexts(text: string): string[] {
  const { words, bigrams, compounds } = countWords(text);
  const folded = Array.from(words.keys(), foldWord);
  const long = folded.filter((word) => word.length > BEGINNING_LENGTH);
  const short = folded.filter((word) => word.length <= BEGINNING_LENGTH).map((word) => `${word}*`);
  const beginnings = long.map((word) => `${word.slice(0, BEGINNING_LENGTH)}<`);
  return [...new Set([...long, ...short, ...bigrams.keys(), ...compounds.keys(), ...beginnings])];
}

/** The keys of some chunks in a Team, each as in `chunkTerms`. */
function keysOf(teamId: string, chunks: readonly (readonly string[])[]): Int32Array[] {
  const team = hashState(':', hashState(teamId));
  const known = new Map<string, number>();
  return chunks.map((texts) => {
    const keys = texts.map((text) => {
      let key = known.get(text);
      if (key === undefined) known.set(text, (key = finishHash(hashState(text, team))));
      return key;
    });
    return Int32Array.from(new Set(keys)).sort();
  });
}

/** The chunks of all Teams, stored once as rows from which Teams are made. */
export interface ChunkPool {
  texts: readonly string[];
  keyTexts: readonly (readonly string[])[];
}

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
  const pool = { texts, keyTexts: texts.map(keyTexts) };
  // The keys here must be those of the service: a search would find nothing by others.
  const [one, same] = [keysOf('a-team', pool.keyTexts)[7], chunkTerms('a-team', texts[7] ?? '').keys];
  if (String(one) !== String(same)) throw new Error('the keys of the pool are not those of chunkTerms');
  return pool;
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
  const keys = keysOf(
    teamId,
    places.map((place) => pool.keyTexts[place] ?? []),
  );
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
