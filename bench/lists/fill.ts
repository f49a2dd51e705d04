import type { Database } from '../../db/driver/database.ts';
import { newId } from '../../shared/ids.ts';
import type { SignedIn } from '../../test/support/app.ts';

/** Agent tokens that were used on each day of a year. */
const TOKENS = 50;
/** Rows of a table that one statement writes. */
const SLICE = 10_000;

/**
 * Fills a Team with as many sources, and half as many imports, captures and memories; a tenth as many agent tokens' events. They
 * are written as rows, not by requests, which would take an hour. Half of them lie in the Team layer and the rest in clients.
 */
export async function fillTeam(
  database: Database,
  { teamId, ownerId }: SignedIn,
  clients: readonly string[],
  size: number,
) {
  const layers = [...clients.map(() => teamId), ...clients];
  const [team] = await database.query<{ companyId: string }>(
    `select company_id as "companyId" from identity.team where id = $1`,
    [teamId],
  );
  for (let from = 0; from < size; from += SLICE) {
    const ids = Array.from({ length: Math.min(SLICE, size - from) }, newId);
    const rows = `(select u.id, u.n + ${from} as n, ($3::uuid[])[1 + u.n % cardinality($3::uuid[])] as layer_id
                     from unnest($2::uuid[]) with ordinality as u (id, n)) u`;
    const insert = (text: string) => database.query(text, [teamId, ids, layers, ownerId]);
    await insert(
      `insert into memory.source (team_id, id, layer_id, kind, state, title, content_hash, chunk_count, tags, created_by)
       select $1, u.id, u.layer_id, case when n % 4 = 0 then 'ingest' else 'import' end,
              case when n % 10 = 0 then 'archived' else 'active' end, md5(n::text) || ' of the harbour',
              sha256(u.id::text::bytea), 1, array['tag ' || n % 30], $4 from ${rows}`,
    );
    await insert(
      `insert into memory.source_use (team_id, source_id, found)
       select $1, u.id, n % 100 from ${rows} where n % 3 = 0 and $4::uuid is not null`,
    );
    await insert(
      `insert into memory.import (team_id, id, layer_id, state, filename, title, media_type, bytes, attempts, created_by)
       select $1, u.id, u.layer_id, 'completed', n || '.txt', n || '.txt', 'text/plain', 1000, 1, $4
         from ${rows} where n % 2 = 0`,
    );
    await insert(
      `insert into memory.capture (team_id, id, layer_id, session_id, summary, created_by)
       select $1, u.id, u.layer_id, 'session', 'What was agreed.', $4 from ${rows} where n % 2 = 0`,
    );
    await insert(
      `insert into memory.memory_item (team_id, id, layer_id, state, title, content, capture_ids, keys, weights, created_by)
       select $1, u.id, u.layer_id, 'discarded', md5(n::text), 'What was agreed.', '{}', '{}', '{}/536870912', $4
         from ${rows} where n % 2 = 0`,
    );
    await database.query(
      `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type, subject_id)
       select $1, u.id, case when n % 20 = 0 then 'memory.ingest' else 'memory.search' end, $4, $2, 'source', u.id
         from unnest($3::uuid[]) with ordinality as u (id, n)`,
      [team!.companyId, teamId, ids, ownerId],
    );
  }
  const [table] = await database.query<{ known: boolean }>(
    `select to_regclass('memory.team_activity') is not null as known`,
  );
  // An earlier checkout counts no use.
  if (table!.known)
    await database.query(
      `insert into memory.team_activity (team_id, day, token_id, searches, writes, characters_returned)
       select $1, (now() at time zone 'UTC')::date - day, token_id, 20, 5, 40000
         from generate_series(0, 365) day, unnest($2::uuid[]) token_id`,
      [teamId, Array.from({ length: TOKENS }, newId)],
    );
}
