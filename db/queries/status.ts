import { MEMORY_STATES, type MemoryState } from '../../shared/memory-states.ts';
import type { Capture } from '../../shared/schemas/consolidation.ts';
import type { QueueStatus } from '../../shared/schemas/status.ts';
import type { TeamTransaction } from '../database.ts';
import { inScope, scopeValues, wireTime } from './layers.ts';

/** Figures of what the scope reads. */
export interface TeamFigures {
  sources: { active: number; archived: number; byKind: Record<string, number> };
  chunks: { total: number; embedded: number; pending: number };
  imports: { queued: number; running: number; completed: number; failed: number };
  captures: Record<Capture['state'], number>;
  memories: Record<MemoryState, number>;
}

/** Counts what lies within the scope. A capture whose lease ran out counts as staged. */
export async function countTeamFigures(tx: TeamTransaction): Promise<TeamFigures> {
  const values = scopeValues(tx.scope);
  const sources = await tx.query<{ kind: string; state: string; n: number }>(
    `select s.kind, s.state, count(*) as n from memory.source s
      where ${inScope('s')} and s.state <> 'loading' group by 1, 2`,
    values,
  );
  const [chunks] = await tx.query<{ total: number; pending: number }>(
    `select (select coalesce(sum(s.chunk_count), 0) from memory.source s
              where ${inScope('s')} and s.state = 'active') as total,
            (select count(*) from memory.embedding_pending p
               join memory.chunk c on c.team_id = p.team_id and c.id = p.chunk_id
               join memory.source s on s.team_id = c.team_id and s.id = c.source_id and s.state = 'active'
              where ${inScope('p')}) as pending`,
    values,
  );
  const imports = await tx.query<{ state: string; n: number }>(
    `select i.state, count(*) as n from memory.import i where ${inScope('i')} group by 1`,
    values,
  );
  const captures = await tx.query<{ state: string; n: number }>(
    `select case when c.leased_until <= now() then 'staged' else c.state end as state, count(*) as n
       from memory.capture c where ${inScope('c')} group by 1`,
    values,
  );
  const memories = await tx.query<{ state: string; n: number }>(
    `select m.state, count(*) as n from memory.memory_item m where ${inScope('m')} group by 1`,
    values,
  );
  const sourcesIn = (state: string) => sources.filter((row) => row.state === state);
  const sum = (rows: { n: number }[]) => rows.reduce((total, row) => total + row.n, 0);
  const total = chunks?.total ?? 0;
  const pending = chunks?.pending ?? 0;
  return {
    sources: {
      active: sum(sourcesIn('active')),
      archived: sum(sourcesIn('archived')),
      byKind: Object.fromEntries(sourcesIn('active').map((row) => [row.kind, row.n])),
    },
    chunks: { total, embedded: total - pending, pending },
    imports: countsBy(['queued', 'running', 'completed', 'failed'], imports),
    captures: countsBy(['staged', 'claimed', 'completed'], captures),
    memories: countsBy(MEMORY_STATES, memories),
  };
}

/** The count of each state, of rows that leave out those without any. */
function countsBy<State extends string>(
  states: readonly State[],
  rows: readonly { state: string; n: number }[],
): Record<State, number> {
  const counts = states.map((state) => [state, rows.find((row) => row.state === state)?.n ?? 0]);
  return Object.fromEntries(counts) as Record<State, number>;
}

type QueueFigures = Omit<QueueStatus, 'history'>;

/** A point of a queue's past, from what pg-boss keeps of it: `persistQueueStats`. */
type QueuePoint = Omit<QueueStatus['history'][number], 'at'> & { queue: string; at: Date };

/** How the given queues stand now. Service-wide: only for those with Full access. */
export async function countJobs(tx: TeamTransaction, queues: readonly string[]): Promise<QueueStatus[]> {
  const points = await listQueuePoints(tx, queues);
  const figures = await tx.query<QueueFigures>(
    `select q.name as queue,
            count(j.id) filter (where j.state in ('created', 'retry') and j.start_after <= now()) as ready,
            count(j.id) filter (where j.state in ('created', 'retry') and j.start_after > now()) as deferred,
            count(j.id) filter (where j.state = 'active') as active,
            count(j.id) filter (where j.state = 'failed') as failed,
            count(j.id) filter (where j.state = 'completed'
              and j.completed_on > now() - interval '5 minutes') / 5.0::float8 as "completedPerMinute",
            (extract(epoch from now() - min(greatest(j.start_after, j.created_on))
              filter (where j.state in ('created', 'retry') and j.start_after <= now())))::float8
              as "oldestReadyAgeSeconds"
       from unnest($1::text[]) as q (name)
       left join pgboss.job j on j.name = q.name
      group by q.name order by q.name`,
    [queues],
  );
  return figures.map((row) => ({
    ...row,
    history: points
      .filter(({ queue }) => queue === row.queue)
      .map(({ at, ready, active, completed, failed }) => ({
        at: wireTime(at),
        ready,
        active,
        completed,
        failed,
      })),
  }));
}

/** The last hour of the given queues, a point a minute: the most that waited and ran, and how many were done. */
async function listQueuePoints(tx: TeamTransaction, queues: readonly string[]): Promise<QueuePoint[]> {
  return tx.query<QueuePoint>(
    `select s.name as queue, date_trunc('minute', s.captured_on) as at,
            max(s.ready_count) as ready, max(s.active_count) as active,
            coalesce(sum(s.completed_delta), 0) as completed, coalesce(sum(s.failed_delta), 0) as failed
       from pgboss.queue_stats s
      where s.name = any ($1::text[]) and s.captured_on > now() - interval '1 hour'
      group by 1, 2 order by 1, 2`,
    [queues],
  );
}
