import { SpanKind } from '@opentelemetry/api';
import { PgBoss } from 'pg-boss';
import type { Logger } from '../../shared/logger.ts';
import type { QueueName } from '../../shared/queues.ts';
import { type CarriedTrace, carriedTrace, inStep } from '../../shared/tracing/spans.ts';
import { type Database, type Queryable, SERVICE_ROLE } from '../driver/database.ts';
import type { EmbeddedDatabase } from '../driver/embedded.ts';
import { JOB_TIMEOUTS, type PostgresTimeouts } from '../driver/postgres-pool.ts';
import { lockStartupStep } from '../startup/lock.ts';
import { openQueueConnections, type QueueConnections } from './connections.ts';
import type { ListenWaits } from './listen.ts';

/*
 * Every statement on the tables of pg-boss itself is here or in pg-boss-figures.ts: what its API does not offer.
 * test/db/pg-boss-tables.test.ts compares the tables of the installed version with what these statements expect.
 */

/** The schema of pg-boss. */
export const QUEUE_SCHEMA = 'pgboss';
const JOB = `${QUEUE_SCHEMA}.job`;

/** One attempt of a job. The number of retries tells attempts apart. */
export interface Attempt {
  id: string;
  retryCount: number;
}

// Start-up.

/**
 * Makes an index of jobs that run and of those that failed for good, so that they are counted without reading all that are
 * done. pg-boss has an index only for jobs that wait.
 */
export async function indexUnfinishedJobs(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await lockStartupStep(database, tx, 'queue');
    // Asked first: creating an index that exists would still wait for everyone who writes jobs.
    const [found] = await tx.query('select from pg_class where oid = to_regclass($1)', [
      `${QUEUE_SCHEMA}.job_unfinished`,
    ]);
    if (found !== undefined) return;
    // As a script, which has no timeout: the table can be large.
    await database.script(
      tx,
      `create index job_unfinished on ${JOB} (name, state) where state in ('active', 'failed')`,
    );
  });
}

/**
 * Lets the service's role send and complete jobs in its own transactions. One process at a time: concurrent GRANTs on one
 * table fail.
 */
export async function grantQueueToService(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await lockStartupStep(database, tx, 'queue');
    await tx.query(`grant usage on schema ${QUEUE_SCHEMA} to ${SERVICE_ROLE}`);
    await tx.query(
      `grant select, insert, update, delete on all tables in schema ${QUEUE_SCHEMA} to ${SERVICE_ROLE}`,
    );
    await tx.query(`grant execute on all functions in schema ${QUEUE_SCHEMA} to ${SERVICE_ROLE}`);
  });
}

/** The ids of all active jobs, by queue. */
export function listActiveJobs(tx: Queryable): Promise<{ name: string; ids: string[] }[]> {
  return tx.query(`select name, array_agg(id::text) as ids from ${JOB} where state = 'active' group by name`);
}

// The attempt that runs.

/** Locks the attempt as it is until the transaction ends. Returns whether it still runs. */
export async function lockAttempt(
  tx: Queryable,
  queue: string,
  { id, retryCount }: Attempt,
): Promise<boolean> {
  const rows = await tx.query(
    `select from ${JOB} where name = $1 and id = $2 and state = 'active' and retry_count = $3 for share`,
    [queue, id, retryCount],
  );
  return rows.length === 1;
}

/**
 * Makes the attempt wait again, to be run at once. The next attempt has another number, and one more is allowed. Returns
 * whether the attempt still ran.
 */
export async function releaseAttempt(
  tx: Queryable,
  queue: string,
  { id, retryCount }: Attempt,
): Promise<boolean> {
  const rows = await tx.query(
    `update ${JOB} set state = 'created', started_on = null, heartbeat_on = null, start_after = now(),
            retry_count = retry_count + 1, retry_limit = retry_limit + 1
      where name = $1 and id = $2 and state = 'active' and retry_count = $3 returning id`,
    [queue, id, retryCount],
  );
  return rows.length === 1;
}

// Turns: see queue.ts. The priority of a job is its turn, its group the Company, and the tier of the group the Team.

/**
 * Turns at or below this one are of long jobs: they come after all others, and have consumers of their own. The first job that
 * waits gets turn 0, so a billion jobs would have to follow without a pause to get here.
 */
export const LONG_JOB_TURN = -1_000_000_000;

const WAITING = `j.name = $1 and j.state < 'active' and not j.blocked`;

/**
 * Reads the turn of the next job of a Company, and whether one of its jobs waits. The jobs of a Company follow one another
 * by one. Its first job joins the jobs of other Companies at their current turn: start-time fair queueing (Goyal, Vin, Cheng
 * 1996), with the same cost for each job.
 *
 * The current turn of the others is the next job of the Company that is furthest ahead. A job that is retried, or was
 * returned to the queue, keeps its old turn. It counts only if no other job waits.
 *
 * A Company that has no job, neither waiting nor running, starts ahead of the Companies that have one running. Some of these
 * can be far behind because their jobs take long, and the new Company would have to wait until they caught up.
 */
export async function readNextTurn(
  tx: Queryable,
  queue: string,
  companyId: string,
): Promise<{ turn: number; isWaiting: boolean }> {
  const [row] = await tx.query<{ turn: number | null; isWaiting: boolean | null }>(
    `with running as (
       select distinct group_id from ${JOB} where name = $1 and state = 'active' and group_id is not null
     ),
     waiting as (
       select j.group_id = $2 as own, j.group_id in (select group_id from running) as runs, min(j.priority) as last,
              max(j.priority) filter (where j.state = 'created' and j.retry_count = 0) as next
         from ${JOB} j where ${WAITING} and j.priority > ${LONG_JOB_TURN} group by j.group_id
     ),
     now as (
       select coalesce(min(next), min(last)) as turn, max(next) filter (where runs) + 1 as ahead,
              min(last) filter (where own) - 1 as own, coalesce(bool_or(own), false) as "isWaiting"
         from waiting
     )
     select "isWaiting",
            case when "isWaiting" or $2 in (select group_id from running) then least(turn, own)
                 else greatest(turn, ahead) end as turn
       from now`,
    [queue, companyId],
  );
  return { turn: row?.turn ?? 0, isWaiting: row?.isWaiting === true };
}

/** The jobs of a Company that wait for their first attempt, each with its place. */
const LINE = `select j.id, j.group_tier as team, row_number() over (order by j.priority desc, j.created_on) as place
    from ${JOB} j
   where ${WAITING} and j.group_id = $2 and j.state = 'created' and j.retry_count = 0 and j.priority > ${LONG_JOB_TURN}`;

/** The Teams of a Company that have jobs waiting, the one with the most first, each with the place of its last job. */
export function listWaitingTeams(
  tx: Queryable,
  queue: string,
  companyId: string,
): Promise<{ team: string; last: number }[]> {
  return tx.query(
    `select team, max(place) as last from (${LINE}) as line group by team order by count(*) desc, team`,
    [queue, companyId],
  );
}

/** The next waiting jobs of a Team from a place on, in the order of their places. */
export function listWaitingJobs(
  tx: Queryable,
  queue: string,
  { companyId, team, from, limit }: { companyId: string; team: string; from: number; limit: number },
): Promise<{ id: string; place: number }[]> {
  return tx.query(
    `select id, place from (${LINE}) as line where team = $3 and place >= $4 order by place limit $5`,
    [queue, companyId, team, from, limit],
  );
}

/** Locks those of the jobs that still wait, and returns their turns, the first turn first. */
export function lockTurns(
  tx: Queryable,
  queue: string,
  ids: readonly string[],
): Promise<{ id: string; turn: number }[]> {
  return tx.query(
    // A worker that dequeues a job has locked it: such a job keeps its turn.
    `select id, priority as turn from ${JOB}
      where name = $1 and id = any ($2::uuid[]) and state = 'created' order by priority desc for update skip locked`,
    [queue, ids],
  );
}

/** Gives jobs other turns. */
export async function updateTurns(
  tx: Queryable,
  queue: string,
  ids: readonly string[],
  turns: readonly number[],
): Promise<void> {
  await tx.query(
    `update ${JOB} j set priority = m.turn from unnest($2::uuid[], $3::int[]) as m (id, turn)
      where j.name = $1 and j.id = m.id`,
    [queue, ids, turns],
  );
}

/** Puts a waiting job among the long ones, where Companies take turns too. A job that is long already keeps its turn. */
export async function moveToLongJobs(
  tx: Queryable,
  queue: string,
  { id, groupId }: { id: string; groupId?: string | null },
): Promise<void> {
  await tx.query(
    `with waiting as (
       select j.group_id = $3 as own, min(j.priority) as last, max(j.priority) as next
         from ${JOB} j where ${WAITING} and j.priority <= ${LONG_JOB_TURN} group by j.group_id
     )
     update ${JOB} j set priority = (
         select least(coalesce(min(next), ${LONG_JOB_TURN}), min(last) filter (where own) - 1) from waiting)
      where j.name = $1 and j.id = $2 and j.priority > ${LONG_JOB_TURN}`,
    [queue, id, groupId ?? null],
  );
}

/**
 * Whether a Company other than this one has had a job ready for a second, and none that runs. A Company that has a job
 * running waits for its own job.
 */
export async function isAnotherWaiting(tx: Queryable, queue: string, companyId: string): Promise<boolean> {
  const rows = await tx.query(
    `select from ${JOB} j
      where ${WAITING} and j.priority > ${LONG_JOB_TURN} and j.group_id <> $2
        and greatest(j.created_on, j.start_after) <= now() - interval '1 second'
        and not exists (select from ${JOB} a where a.name = $1 and a.state = 'active' and a.group_id = j.group_id)
      limit 1`,
    [queue, companyId],
  );
  return rows.length > 0;
}

// Jobs with an answer: see query-embeddings.ts.

/** Deletes those of the jobs that have ended, and returns their outputs. */
export function deleteEndedJobs(
  tx: Queryable,
  queue: string,
  ids: readonly string[],
): Promise<{ id: string; output: Record<string, string | null> | null }[]> {
  return tx.query(
    `delete from ${JOB} where name = $1 and id = any ($2::uuid[]) and state > 'active' returning id, output`,
    [queue, ids],
  );
}

/** Deletes a job, whatever its state. */
export async function deleteJob(tx: Queryable, queue: string, id: string): Promise<void> {
  await tx.query(`delete from ${JOB} where name = $1 and id = $2`, [queue, id]);
}

/** Deletes the jobs of a queue that were created so many seconds ago or earlier. */
export async function deleteOldJobs(tx: Queryable, queue: string, seconds: number): Promise<void> {
  await tx.query(`delete from ${JOB} where name = $1 and created_on < now() - make_interval(secs => $2)`, [
    queue,
    seconds,
  ]);
}

/** Returns the age of an active job in milliseconds by the clock of the database. Null if it is not active. */
export async function readActiveAge(tx: Queryable, queue: string, id: string): Promise<number | null> {
  const [row] = await tx.query<{ age: number }>(
    `select (extract(epoch from clock_timestamp() - created_on) * 1000)::float8 as age
       from ${JOB} where name = $1 and id = $2 and state = 'active'`,
    [queue, id],
  );
  return row?.age ?? null;
}

/** Completes an active job with its output, deletes what it carried, and notifies the listeners of a channel with its id. */
export async function completeWithOutput(
  tx: Queryable,
  queue: string,
  { id, output, channel }: { id: string; output: Record<string, string | null>; channel: string },
): Promise<void> {
  await tx.query(
    `with completed as (
       update ${JOB} set state = 'completed', completed_on = now(), data = null, output = $3::jsonb
        where name = $1 and id = $2 and state = 'active' returning id
     )
     select pg_notify($4, id::text) from completed`,
    [queue, id, JSON.stringify(output), channel],
  );
}

/** How pg-boss reaches the database, and what it does there. */
export interface BossSetup {
  database: Database;
  /** The connection string, or null with the embedded database. */
  databaseUrl: string | null;
  /** Whether this process also supervises jobs: lost heartbeats, expiry, retention. It listens for jobs then. */
  supervise: boolean;
  logger: Logger;
  /** How many connections to PostgreSQL the queue has, in addition to the one that listens. */
  connections: number;
  /** Time-outs of the queue's own connections to PostgreSQL; `JOB_TIMEOUTS` if absent. */
  timeouts?: PostgresTimeouts | undefined;
  /** If `listen` fails, it is tried again after these waits. Absent: the caller tries again. */
  listenWaits?: ListenWaits | undefined;
}

/**
 * Makes a pg-boss that is not started.
 * @returns it, and its connections to PostgreSQL, which the caller closes; null with the embedded database
 */
export function openBoss(setup: BossSetup): { boss: PgBoss; own: QueueConnections | null } {
  const {
    database,
    databaseUrl,
    supervise,
    logger,
    connections,
    timeouts = JOB_TIMEOUTS,
    listenWaits,
  } = setup;
  const own =
    databaseUrl === null
      ? null
      : openQueueConnections(databaseUrl, logger, {
          max: connections,
          timeouts,
          ...(listenWaits === undefined ? {} : { listenWaits }),
        });
  const boss = new PgBoss({
    ...(own === null
      ? { db: (database as EmbeddedDatabase).queueDatabase, backend: 'pglite' as const }
      : { db: own }),
    schema: QUEUE_SCHEMA,
    useListenNotify: supervise,
    supervise,
    schedule: supervise,
    monitorIntervalSeconds: 15,
    superviseIntervalSeconds: 15,
    queueCacheIntervalSeconds: 15,
    persistQueueStats: supervise,
  });
  boss.on('error', (error) => logger.error({ err: error }, 'the queue reports an error'));
  return { boss, own };
}

/**
 * Creates the tables of pg-boss, without queues. `openQueue` does the same and more, for a service.
 * @param databaseUrl the connection string, or null with the embedded database
 */
export async function createQueueTables(
  database: Database,
  databaseUrl: string | null,
  logger: Logger,
): Promise<void> {
  const { boss, own } = openBoss({ database, databaseUrl, supervise: false, logger, connections: 1 });
  try {
    await boss.start();
    await boss.stop({ graceful: false });
  } finally {
    await own?.close();
  }
}

/**
 * Sends jobs as a step of the active trace.
 * @param send adds what it is given to the data of each job, so that the worker goes on with the trace
 */
export function sendTraced<T>(
  queue: QueueName,
  send: (carried: { trace?: CarriedTrace }) => Promise<T>,
): Promise<T> {
  const attributes = {
    'messaging.system': 'pg-boss',
    'messaging.operation.type': 'send',
    'messaging.destination.name': queue,
  };
  return inStep(
    () => `send ${queue}`,
    attributes,
    () => send(carriedTrace(queue)),
    SpanKind.PRODUCER,
  );
}
