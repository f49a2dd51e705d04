import type { QueueStatus } from '../../shared/schemas/status.ts';
import type { Queryable } from '../driver/database.ts';
import { QUEUE_SCHEMA } from './pg-boss-jobs.ts';

/* Figures of the tables of pg-boss: see pg-boss-jobs.ts. */

const JOB = `${QUEUE_SCHEMA}.job`;
const QUEUE_STATS = `${QUEUE_SCHEMA}.queue_stats`;

/** The version of the tables of pg-boss; null: they do not exist. */
export async function readQueueVersion(tx: Queryable): Promise<number | null> {
  const table = `${QUEUE_SCHEMA}.version`;
  const [found] = await tx.query('select from pg_class where oid = to_regclass($1)', [table]);
  if (found === undefined) return null;
  const [row] = await tx.query<{ version: number }>(`select version from ${table}`);
  return row?.version ?? null;
}

/** The jobs of one Company, or all if `$2` is null. */
const OF_COMPANY = `($2::text is null or j.data ->> 'companyId' = $2)`;

/** The current figures of a queue. */
export type QueueFigures = Omit<QueueStatus, 'history'>;

/** The figures of a queue in the last hour. */
export type QueuePast = Pick<QueueStatus, 'queue' | 'history'>;

/**
 * Returns the current figures of the given queues: only for callers with Full access and for operators. Each state is counted in
 * an index without completed jobs. The number of recently completed jobs comes from the statistics of pg-boss, which are of the
 * whole service.
 * @param companyId counts only the jobs of this Company, and no completed ones; null: those of the whole service
 */
export async function countJobs(
  tx: Queryable,
  queues: readonly string[],
  companyId: string | null,
): Promise<QueueFigures[]> {
  return tx.query<QueueFigures>(
    `select q.name as queue, w.ready, w.deferred, u.active, u.failed,
            coalesce(d."perMinute", 0)::float8 as "completedPerMinute", w.age as "oldestReadyAgeSeconds"
       from unnest($1::text[]) as q (name)
      cross join lateral (
        select count(*) filter (where j.start_after <= now()) as ready,
               count(*) filter (where j.start_after > now()) as deferred,
               (extract(epoch from now() - min(greatest(j.start_after, j.created_on))
                 filter (where j.start_after <= now())))::float8 as age
          from ${JOB} j where j.name = q.name and j.state < 'active' and not j.blocked and ${OF_COMPANY}) w
      cross join lateral (
        select count(*) filter (where j.state = 'active') as active, count(*) filter (where j.state = 'failed') as failed
          from ${JOB} j where j.name = q.name and j.state in ('active', 'failed') and ${OF_COMPANY}) u
      cross join lateral (
        select 60.0 * sum(s.completed_delta) / nullif(sum(s.delta_seconds), 0) as "perMinute"
          from ${QUEUE_STATS} s where s.name = q.name and s.captured_on > now() - interval '5 minutes' and $2::text is null) d
      order by q.name`,
    [queues, companyId],
  );
}

/**
 * Returns the last hour of the given queues, with one point for each minute, from the records that pg-boss writes every
 * 15 seconds (`persistQueueStats`). The numbers of waiting and running jobs are those at the time of a record. The
 * numbers of completed and failed jobs are those up to ten seconds before (`delta_on` in pg-boss). So the first record
 * of a minute can count jobs of the minute before, and these are added to the point of that minute. If that minute has
 * no point, because there are no records of it, they stay in the minute of the record.
 *
 * The database returns JSON, because reading hundreds of rows would take longer than finding them.
 */
export async function listPasts(tx: Queryable, queues: readonly string[]): Promise<QueuePast[]> {
  const minute = (column: string) => `date_bin('1 minute', ${column}, 'epoch')`;
  const counted = (column: string, own: boolean) =>
    `coalesce(sum(${column}) filter (where (${minute('s.captured_on')} = ${minute('s.delta_on')}) = ${own}), 0)`;
  const placed = (column: string) => `
    p.${column} + case when lag(p.at) over before = p.at - interval '1 minute' then 0 else p.${column}_before end
    + case when lead(p.at) over before = p.at + interval '1 minute' then lead(p.${column}_before) over before else 0 end`;
  return tx.query(
    `with point as (
     select p.name, p.at, p.ready, p.active, ${placed('completed')} as completed, ${placed('failed')} as failed
       from (select s.name, ${minute('s.captured_on')} as at,
                    max(s.ready_count) as ready, max(s.active_count) as active,
                    ${counted('s.completed_delta', true)} as completed, ${counted('s.failed_delta', true)} as failed,
                    ${counted('s.completed_delta', false)} as completed_before,
                    ${counted('s.failed_delta', false)} as failed_before
               from ${QUEUE_STATS} s
              where s.name = any ($1::text[]) and s.captured_on > now() - interval '1 hour' group by 1, 2) p
     window before as (partition by p.name order by p.at))
     select name as queue, json_agg(json_build_object(
              'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
              'ready', ready, 'active', active, 'completed', completed, 'failed', failed) order by at) as history
       from point group by name`,
    [queues],
  );
}

/**
 * Whether one of the given queues has been stalled for over a minute: a job has been ready for so long, no job runs,
 * and pg-boss has recorded no job that ended since then. Without the last condition, a queue would count as stalled
 * between two of its jobs.
 */
export async function hasStalledJobs(tx: Queryable, queues: readonly string[]): Promise<boolean> {
  const rows = await tx.query(
    `select from unnest($1::text[]) as q (name)
      where not exists (select from ${JOB} j where j.name = q.name and j.state = 'active')
        and exists (
          select from ${JOB} j where j.name = q.name and j.state < 'active' and not j.blocked
             and greatest(j.start_after, j.created_on) < now() - interval '1 minute')
        and not exists (
          select from ${QUEUE_STATS} s where s.name = q.name and s.captured_on > now() - interval '75 seconds'
             and s.completed_delta + s.failed_delta > 0)
      limit 1`,
    [queues],
  );
  return rows.length > 0;
}
