import type { Database, Queryable } from '../../db/driver/database.ts';
import { halfvecBinary, int4ArrayBinary, termsToSparsevecBinary } from '../../db/driver/wire-format.ts';
import { newId } from '../../shared/ids.ts';
import { type ChunkTerms, chunkTerms } from '../../shared/text/terms/chunk-terms.ts';
import { exactKey, teamState } from '../../shared/text/terms/keys.ts';
import { countWords } from '../../shared/text/words.ts';
import { TEST_MODEL_NAME, type TestCompany } from '../support/needs/database.ts';
import { axis } from '../support/sources.ts';

/** A Team with records of every kind that searches read, as migration 0002 stored them. */
export interface BaselineTeam extends TestCompany {
  clientId: string;
  stagedCapture: string;
  published: string;
  inReview: string;
}

interface BaselineSource {
  layer: string | null;
  kind: 'ingest' | 'memory';
  title: string;
  /** Each with the axis of its vector; null for a chunk that waits for one. */
  chunks: readonly (readonly [text: string, axis: number | null])[];
}

export const MEMORY = 'Herons return to the river in March.';
/** No title has a word of a text. */
export const SOURCES: readonly BaselineSource[] = [
  {
    layer: null,
    kind: 'ingest',
    title: 'Walrus',
    chunks: [
      ['The heron by the river.', 1],
      ['The pump of the lock is broken.', 2],
      ['A text without a vector.', null],
    ],
  },
  { layer: 'client', kind: 'ingest', title: 'Pelican', chunks: [['The stork of the harbour.', 3]] },
  { layer: null, kind: 'memory', title: 'Migration', chunks: [[MEMORY, 4]] },
];

/** Inserts the Team into a database that has migrations 0001 and 0002, by statements that name only their columns. */
export function insertBaselineTeam(database: Database): Promise<BaselineTeam> {
  return database.transaction(async (tx) => {
    const team: BaselineTeam = {
      companyId: newId(),
      ownerId: newId(),
      ownerEmail: 'owner@localhost',
      teamId: newId(),
      clientId: newId(),
      stagedCapture: newId(),
      published: newId(),
      inReview: newId(),
    };
    await insertIdentity(tx, team);
    const counts = new Map<string | null, ChunkTerms[]>();
    for (const source of SOURCES) {
      const layer = source.layer === null ? null : team.clientId;
      const { sourceId, terms } = await insertSource(tx, team, { ...source, layer });
      counts.set(layer, [...(counts.get(layer) ?? []), ...terms]);
      if (source.kind === 'memory') await insertMemories(tx, team, sourceId);
    }
    await insertCounts(tx, team.teamId, [...counts]);
    await insertCaptures(tx, team);
    return team;
  });
}

/** Inserts a Company with its Owner, a Team and a client. */
export async function insertIdentity(
  tx: Queryable,
  { companyId, ownerId, ownerEmail, teamId, clientId }: TestCompany & { clientId: string },
): Promise<void> {
  await tx.query('insert into memory.deployment (embedding_model, swept_at) values ($1, now())', [
    TEST_MODEL_NAME,
  ]);
  await tx.query(`insert into identity.company (id, name) values ($1, 'Company')`, [companyId]);
  await tx.query(
    `insert into identity.account (company_id, id, email, name, role, is_principal)
     values ($1, $2, $3, 'Owner', 'owner', true)`,
    [companyId, ownerId, ownerEmail],
  );
  await tx.query(`insert into identity.team (company_id, id, name) values ($1, $2, 'General')`, [
    companyId,
    teamId,
  ]);
  await tx.query(
    `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'owner')`,
    [companyId, teamId, ownerId],
  );
  await tx.query(
    `insert into identity.client (company_id, team_id, id, name) values ($1, $2, $3, 'Test Client')`,
    [companyId, teamId, clientId],
  );
}

/** The terms of a text as that version made them: every word had an exact key, also short ones. */
function baselineTerms(teamId: string, text: string): ChunkTerms {
  const { keys, ...weights } = chunkTerms(teamId, text);
  const exact = Array.from(countWords(text).words.keys(), (word) => exactKey(teamState(teamId), word));
  return { ...weights, keys: Int32Array.from(new Set([...keys, ...exact])).sort() };
}

/** Inserts a source whose terms have only the words of the texts: that version did not index titles. */
async function insertSource(
  tx: Queryable,
  { teamId, ownerId }: BaselineTeam,
  { layer, kind, title, chunks }: BaselineSource,
): Promise<{ sourceId: string; terms: ChunkTerms[] }> {
  const sourceId = newId();
  await tx.query(
    `insert into memory.source (team_id, id, client_id, kind, state, title, content_hash, chunk_count, created_by)
     values ($1, $2, $3, $4, 'active', $5, sha256($5::text::bytea), $6, $7)`,
    [teamId, sourceId, layer, kind, title, chunks.length, ownerId],
  );
  const stored: ChunkTerms[] = [];
  for (const [ordinal, [text, nth]] of chunks.entries()) {
    const id = newId();
    const terms = baselineTerms(teamId, text);
    stored.push(terms);
    await tx.query(
      `insert into memory.chunk (team_id, id, client_id, source_id, ordinal, text)
       values ($1, $2, $3, $4, $5, $6)`,
      [teamId, id, layer, sourceId, ordinal, text],
    );
    await tx.query(
      `insert into memory.chunk_keyword (team_id, client_id, chunk_id, keys, weights)
       values ($1, $2, $3, $4::int[], $5::sparsevec)`,
      [teamId, layer, id, int4ArrayBinary(terms.keys), termsToSparsevecBinary(terms)],
    );
    if (nth === null) {
      await tx.query(
        'insert into memory.embedding_pending (team_id, client_id, chunk_id) values ($1, $2, $3)',
        [teamId, layer, id],
      );
    } else {
      await tx.query(
        `insert into memory.chunk_embedding (team_id, client_id, chunk_id, model, embedding)
         values ($1, $2, $3, $4, $5::halfvec)`,
        [teamId, layer, id, TEST_MODEL_NAME, halfvecBinary(axis(nth))],
      );
    }
  }
  return { sourceId, terms: stored };
}

/** Inserts a published memory, whose source this is, and one that waits for review and says the same. */
async function insertMemories(tx: Queryable, team: BaselineTeam, sourceId: string): Promise<void> {
  const terms = baselineTerms(team.teamId, MEMORY);
  const values = [team.teamId, team.ownerId, int4ArrayBinary(terms.keys), termsToSparsevecBinary(terms)];
  await tx.query(
    `insert into memory.memory_item
            (team_id, id, state, title, content, source_id, capture_ids, keys, weights, created_by)
     values ($1, $5, 'published', 'Migration', $6, $7, '{}', $3::int[], $4::sparsevec, $2)`,
    [...values, team.published, MEMORY, sourceId],
  );
  await tx.query(
    `insert into memory.memory_item
            (team_id, id, state, title, content, capture_ids, keys, weights, embedding, embedding_model, created_by)
     values ($1, $5, 'review', 'Herons', $6, '{}', $3::int[], $4::sparsevec, $7::halfvec, $8, $2)`,
    [...values, team.inReview, MEMORY, halfvecBinary(axis(4)), TEST_MODEL_NAME],
  );
}

/** In how many texts each term of one space occurs, ascending. */
function countEach(terms: readonly ChunkTerms[], of: 'dims' | 'keys'): [term: number, count: number][] {
  const counts = new Map<number, number>();
  for (const chunk of terms) for (const term of chunk[of]) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one - other);
}

/** Inserts the counts of words in the form of that version: a row of each layer, and a row of each term. */
async function insertCounts(
  tx: Queryable,
  teamId: string,
  layers: readonly (readonly [string | null, readonly ChunkTerms[]])[],
): Promise<void> {
  const rows = new Map<string, string[]>();
  for (const [nth, [layer, terms]] of layers.entries()) {
    const [dims, keys] = [countEach(terms, 'dims'), countEach(terms, 'keys')];
    const numbers = [dims, keys].flatMap((counts) => [
      int4ArrayBinary(Int32Array.from(counts, ([term]) => term)),
      int4ArrayBinary(Int32Array.from(counts, ([, count]) => count)),
    ]);
    await tx.query(
      `insert into memory.keyword_layer
              (team_id, client_id, place, chunks, sampled, dims, dim_counts, keys, key_counts)
       values ($1, $2, $3, $4, $4, $5::int[], $6::int[], $7::int[], $8::int[])`,
      [teamId, layer, nth + 1, terms.length, ...numbers],
    );
    for (const [space, counts] of Object.entries({ d: dims, k: keys })) {
      for (const [term, count] of counts) {
        const row = `${space} ${term}`;
        rows.set(row, [...(rows.get(row) ?? []), `${nth + 1}:${count}`]);
      }
    }
  }
  const sparse = [...rows].map(([row, counts]) => {
    const [space, term] = row.split(' ');
    return { space, term: Number(term), counts: `{${counts.join(',')}}/16000` };
  });
  await tx.query(
    `insert into memory.keyword_df (team_id, space, term, counts)
     select $1, r.space::"char", r.term, r.counts::sparsevec
       from json_to_recordset($2::json) r (space text, term int, counts text)`,
    [teamId, JSON.stringify(sparse)],
  );
  // A trigger has inserted the row.
  await tx.query(
    `update memory.keyword_team t
        set chunks = l.chunks, sampled = l.chunks, counted_at = now(), scales = l.scales::sparsevec,
            layers = l.layers, layer_count = cardinality(l.layers)
       from (select sum(l.chunks) as chunks, '{' || string_agg(l.place || ':1', ',') || '}/16000' as scales,
                    array_agg(l.client_id) as layers
               from memory.keyword_layer l where l.team_id = $1) l
      where t.team_id = $1`,
    [teamId],
  );
}

/** Inserts a capture that waits, and one that was made into a memory. */
async function insertCaptures(tx: Queryable, team: BaselineTeam): Promise<void> {
  await tx.query(
    `insert into memory.capture (team_id, id, client_id, state, session_id, sequence, summary, batch_id, created_by)
     values ($1, $2, $3, 'staged', 'session', 1, 'The pump was mended.', null, $4),
            ($1, $5, null, 'completed', 'session', 2, 'Herons were seen.', $6, $4)`,
    [team.teamId, team.stagedCapture, team.clientId, team.ownerId, newId(), newId()],
  );
}
