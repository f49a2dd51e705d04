import type { Database } from '../db/driver/database.ts';
import { newId } from '../shared/ids.ts';
import { QUEUES } from '../shared/queues.ts';
import { buildTestApp, type SignedIn, type TestApp } from '../test/support/app.ts';
import { addClient, addPerson, type Caller } from '../test/support/team.ts';
import { runBench } from './support/bench.ts';
import { WITH_LIMITS } from './support/child.ts';
import { places, vacuum, withDatabase } from './support/databases.ts';
import { median, spread } from './support/report.ts';
import { inTurns, timed } from './support/rounds.ts';

const SIZES = {
  pglite: { chunks: 10_000, imports: 1000, waiting: 1000, finished: 10_000 },
  postgres: { chunks: 100_000, imports: 10_000, waiting: 10_000, finished: 100_000 },
};
type Size = (typeof SIZES)['postgres'];
const scaled = (size: Size, share: number) =>
  Object.fromEntries(Object.entries(size).map(([what, count]) => [what, Math.ceil(count * share)])) as Size;

const CLIENTS = 20;
const GRANTED = 5;
/** Rows of a table that one statement writes. */
const SLICE = 10_000;
const SENTENCE = 'What was agreed with the harbour office is kept here for those who come next. ';

const ids = (count: number) => Array.from({ length: count }, newId);

/** Calls `write` for as many rows, slice by slice. */
async function inSlices(
  count: number,
  write: (size: number, from: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < count; from += SLICE) await write(Math.min(SLICE, count - from), from);
}

/**
 * Fills a Team, written as rows and not by requests, which would take an hour: a source for each import, the same
 * number of chunks in each, none with a vector, which is how a Team stands whose members send none. A third lies
 * in the Team layer and the rest in the clients.
 */
async function fillTeam(
  database: Database,
  { teamId, ownerId }: SignedIn,
  clients: readonly string[],
  size: Size,
): Promise<void> {
  const layers = [...clients.slice(0, clients.length / 2).map(() => teamId), ...clients];
  const layer = (n: string) => `($3::uuid[])[1 + ${n} % cardinality($3::uuid[])]`;
  const common = (count: number) => [teamId, ids(count), layers, ownerId];
  const each = 'unnest($2::uuid[]) with ordinality as u (id, n)';
  await inSlices(size.imports, async (count) => {
    const [team, own, where, owner] = common(count);
    await database.query(
      `insert into memory.source (team_id, id, layer_id, kind, state, title, content_hash, chunk_count, created_by)
       select $1, u.id, ${layer('n')}, case when n % 4 = 0 then 'ingest' else 'import' end, 'active', 'Source ' || n,
              sha256(u.id::text::bytea), $5, $4 from ${each}`,
      [team, own, where, owner, size.chunks / size.imports],
    );
    await database.query(
      `insert into memory.import (team_id, id, layer_id, state, filename, title, media_type, bytes, attempts, source_id,
              error_code, error_message, created_by)
       select $1, u.id, ${layer('n')}, case when n % 20 = 0 then 'failed' when n % 20 < 4 then 'queued' else 'completed' end,
              n || '.txt', n || '.txt', 'text/plain', 1000, 1, null, 'no_text', 'The file holds no text.', $4 from ${each}`,
      [team, own, where, owner],
    );
  });
  const sources = await database.query<{ id: string }>('select id from memory.source where team_id = $1', [
    teamId,
  ]);
  await inSlices(size.chunks, async (count, from) => {
    await database.query(
      `insert into memory.chunk (team_id, id, layer_id, source_id, ordinal, text)
       select s.team_id, u.id, s.layer_id, s.id, (u.n + $5) / $4, repeat($3, 8)
         from unnest($2::uuid[]) with ordinality as u (id, n)
         join memory.source s on s.team_id = $1 and s.id = ($6::uuid[])[1 + (u.n + $5) % $4]`,
      [teamId, ids(count), SENTENCE, sources.length, from, sources.map(({ id }) => id)],
    );
  });
  await database.query(
    `insert into memory.embedding_pending (team_id, layer_id, chunk_id)
     select team_id, layer_id, id from memory.chunk where team_id = $1`,
    [teamId],
  );
  await inSlices(size.imports / 2, async (count) => {
    await database.query(
      `insert into memory.capture (team_id, id, layer_id, session_id, summary, created_by)
       select $1, u.id, ${layer('n')}, 'session', repeat($5, 8), $4 from ${each}`,
      [...common(count), SENTENCE],
    );
    await database.query(
      `insert into memory.memory_item (team_id, id, layer_id, state, title, content, capture_ids, keys, weights, created_by)
       select $1, u.id, ${layer('n')}, case when n % 3 = 0 then 'discarded' else 'review' end, 'Memory ' || n,
              repeat($5, 8), '{}', '{}', '{}/536870912', $4 from ${each}`,
      [...common(count), SENTENCE],
    );
  });
}

/** Jobs after a busy day: most done, some that failed for good, many that wait. */
async function fillQueue(database: Database, { teamId }: SignedIn, size: Size): Promise<void> {
  await inSlices(size.waiting + size.finished, (count, from) =>
    database.query(
      `insert into pgboss.job (name, state, group_id, created_on, started_on, completed_on, policy, priority)
       select 'import.process',
              (case when n <= $3 then 'created' when n % 50 = 0 then 'failed' else 'completed' end)::pgboss.job_state,
              $4, now() - interval '1 hour', case when n > $3 then now() - interval '1 hour' end,
              case when n > $3 then now() - make_interval(secs => n % 3600) end, 'standard', -n
         from generate_series($1::int + 1, $1 + $2) n`,
      [from, count, size.waiting, teamId],
    ),
  );
  await database.query(
    `insert into pgboss.queue_stats (name, ready_count, active_count, completed_delta, failed_delta, delta_seconds, delta_on,
            captured_on)
     select q.name, 100, 4, 10, 1, 15, t.at - interval '10 seconds', t.at
       from unnest($1::text[]) as q (name), generate_series(now() - interval '1 hour', now(), interval '15 seconds') as t (at)
      where t.at >= date_trunc('day', now(), 'UTC')`,
    [Object.keys(QUEUES)],
  );
}

const ask =
  (service: TestApp, { headers }: Caller) =>
  async () => {
    const answer = await service.app.inject({ url: '/v1/memory/status', headers });
    if (answer.statusCode !== 200) throw new Error(answer.body);
  };

await runBench(
  {
    name: 'bench:status',
    about: `How long GET /v1/memory/status takes in a large Team, for callers who reach much and little of it. Times depend on the
machine; the ratios to a bare round trip and to an empty Team, taken in the same run, hardly do.`,
    options: { rounds: [200, 'of each caller'], share: [1, 'of the size of the Team'] },
    needs: ['both'],
  },
  async ({ rounds, share }, report) => {
    for (const place of places()) {
      await withDatabase(place, async ({ database, url }) => {
        const service = await buildTestApp(database, url, WITH_LIMITS);
        const size = scaled(SIZES[database.backend], share);
        const [empty, company] = [await service.company(), await service.company()];
        const clients: string[] = [];
        for (let n = 0; n < CLIENTS; n += 1) clients.push(await addClient(service, company));
        await fillTeam(database, company, clients, size);
        await fillQueue(database, company, size);
        await vacuum({ database, url });
        const grants = Object.fromEntries(clients.slice(0, GRANTED).map((id) => [id, 'read' as const]));
        const granted = await addPerson(service, company, { teamRole: 'member', clients: grants });
        const bare = await addPerson(service, company, { teamRole: 'member' });
        const cases: [string, () => Promise<unknown>][] = [
          ['select 1', () => database.query('select 1')],
          ['empty Team', ask(service, empty)],
          ['member, no grant', ask(service, bare)],
          [`member, ${GRANTED} grants`, ask(service, granted)],
          ['Full access', ask(service, company)],
        ];
        const times = await inTurns(cases, { rounds, warmUp: 20 }, ([, run]) => timed(run));
        const { chunks, imports, waiting, finished } = size;
        report.print(
          `${database.backend}: ${chunks} passages, ${imports} imports; ${waiting} jobs wait, ${finished} are done`,
        );
        report.row('', ['p50 ms', 'p95 ms', 'of select 1', 'of empty']);
        const [one, nothing] = times.map(median) as [number, number];
        for (const [index, [name]] of cases.entries()) {
          const [p50, p95] = spread(times[index]!);
          report.row(name, [p50, p95, p50 / one, p50 / nothing]);
        }
        await service.app.close();
        await service.queue.stop();
      });
    }
  },
);
