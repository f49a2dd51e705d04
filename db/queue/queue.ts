import { type Job, PgBoss, type QueueOptions } from 'pg-boss';
import { newId } from '../../shared/ids.ts';
import type { Logger } from '../../shared/logger.ts';
import { type Payload, QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/queues.ts';
import { within } from '../../shared/resources/within.ts';
import type { Database, Queryable } from '../driver/database.ts';
import type { EmbeddedDatabase } from '../driver/embedded.ts';
import { JOB_TIMEOUTS, type PostgresTimeouts, poolSettings } from '../driver/postgres-pool.ts';
import { boundListenEnd, unhurriedChanges } from './connections.ts';
import {
  grantQueueToService,
  indexUnfinishedJobs,
  isAnotherWaiting,
  listActiveJobs,
  lockAttempt,
  moveToLongJobs,
  QUEUE_SCHEMA,
  returnAttempt,
} from './pg-boss-jobs.ts';
import { allocateTurns, type Sender } from './turns.ts';

/** Gives jobs to the queue and settles them, always within the transaction that makes them true. */
export interface JobQueue {
  /** Queues a job. A queue that keeps one waiting job a key drops a second: it would do the same. */
  send<Q extends QueueName>(
    tx: Queryable,
    queue: Q,
    payload: Payload<Q>,
    options?: SendOptions,
  ): Promise<void>;
  /** Queues jobs of one Team: Companies take turns, and the Teams of a Company within its turns. */
  sendInTurn<Q extends QueueName>(
    tx: Queryable,
    queue: Q,
    sender: Sender,
    payloads: readonly Payload<Q>[],
  ): Promise<void>;
  /**
   * Marks the very attempt that runs as done.
   * @throws LostJobError when another worker has taken the job, so that the transaction rolls back
   */
  settle(tx: Queryable, queue: QueueName, job: Pick<Job, 'id' | 'retryCount'>): Promise<void>;
  /**
   * Keeps the very attempt that runs as it is until the transaction ends.
   * @throws LostJobError as `settle`
   */
  assertHeld(tx: Queryable, queue: QueueName, job: Pick<Job, 'id' | 'retryCount'>): Promise<void>;
  /**
   * Gives the attempt that runs back, to be taken by another worker at once. It counts as no retry: the worker
   * stops, and nothing has failed.
   * @throws LostJobError as `settle`
   */
  giveBack(tx: Queryable, queue: QueueName, job: Pick<Job, 'id' | 'retryCount'>): Promise<void>;
  /**
   * Gives the attempt that runs back as `giveBack`, to be run again among the long jobs.
   * @throws LostJobError as `settle`
   */
  demote(tx: Queryable, queue: QueueName, job: Pick<Job, 'id' | 'retryCount' | 'groupId'>): Promise<void>;
  /** Whether a Company other than this one has a job that is ready, and none that runs. */
  isAnotherWaiting(tx: Queryable, queue: QueueName, companyId: string): Promise<boolean>;
  /**
   * Asks the database through the queue's own connections.
   * @throws Error where no answer comes in so many milliseconds
   */
  check(ms: number): Promise<void>;
  /** How long jobs that run may take to finish when the queue stops, in milliseconds. */
  readonly drainMs: number;
  /** The queue itself, for the worker that takes jobs from it. */
  readonly boss: PgBoss;
  stop(): Promise<void>;
}

export interface SendOptions {
  /** With a queue of policy `short`: one waiting job for each key. */
  key?: string;
  /** The higher comes first; 0 otherwise. */
  priority?: number;
}

/** The job is no longer this worker's: it was silent too long and another has it. Nothing was written. */
export class LostJobError extends Error {
  override name = 'LostJobError';
}

function lost(queue: QueueName, { id }: Pick<Job, 'id'>): LostJobError {
  return new LostJobError(`job ${id} of ${queue} was taken over`);
}

function connection(tx: Queryable) {
  return { executeSql: async (text: string, values?: unknown[]) => ({ rows: await tx.query(text, values) }) };
}

const giveBack: JobQueue['giveBack'] = async (tx, queue, job) => {
  if (!(await returnAttempt(tx, queue, job))) throw lost(queue, job);
};

export interface QueueSetup {
  database: Database;
  /** Connection setting, or null with the embedded database. */
  databaseUrl: string | null;
  /** Whether this process also watches over jobs: lost heartbeats, expiry, retention. */
  supervise: boolean;
  logger: Logger;
  /** How long jobs that run may take to finish when the queue stops, in milliseconds. */
  drainMs: number;
  /** Of the queue's own connections to PostgreSQL; those of jobs where left out. */
  timeouts?: PostgresTimeouts;
}

/** How long closing the queue's connections may take after the drain: dead ones would never close. */
const CLOSE_MS = 2000;

/** Opens the queue in the service's own database, makes its tables and queues, and starts it. */
export async function openQueue(setup: QueueSetup): Promise<JobQueue> {
  const { database, logger } = setup;
  const boss = new PgBoss({
    ...(setup.databaseUrl === null
      ? { db: (database as EmbeddedDatabase).queueDatabase, backend: 'pglite' as const }
      : {
          ...poolSettings(setup.databaseUrl, setup.timeouts ?? JOB_TIMEOUTS),
          max: 5,
          application_name: 'team-memory-queue',
        }),
    schema: QUEUE_SCHEMA,
    useListenNotify: setup.supervise,
    supervise: setup.supervise,
    schedule: setup.supervise,
    monitorIntervalSeconds: 15,
    superviseIntervalSeconds: 15,
    queueCacheIntervalSeconds: 15,
    persistQueueStats: setup.supervise,
  });
  boss.on('error', (error) => logger.error({ err: error }, 'the queue reports an error'));
  boss.on('warning', (warning) => logger.warn({ warning }, 'the queue reports a warning'));
  boundListenEnd(boss);
  const started = setup.databaseUrl === null ? () => undefined : unhurriedChanges(boss, setup.databaseUrl);
  await boss.start();
  started();
  await createQueues(boss);
  if (setup.databaseUrl === null && setup.supervise) await retryCutOffJobs(boss, database);
  await rememberQueues(boss);
  await indexUnfinishedJobs(database);
  await grantQueueToService(database);

  return {
    boss,
    send: async (tx, queue, payload, options = {}) => {
      await boss.send(queue, payload, {
        db: connection(tx),
        ...(options.key === undefined ? {} : { singletonKey: options.key }),
        ...(options.priority === undefined ? {} : { priority: options.priority }),
      });
    },
    sendInTurn: async (tx, queue, { companyId, teamId }, payloads) => {
      const turns = await allocateTurns(tx, queue, { companyId, teamId }, payloads.length);
      const group = { id: companyId, tier: teamId };
      const jobs = payloads.map((data, index) => ({ data, group, priority: turns[index] ?? 0 }));
      await boss.insert(queue, jobs, { db: connection(tx) });
    },
    settle: async (tx, queue, job) => {
      const attempt = { id: job.id, retryCount: job.retryCount };
      const done = (await boss.complete(queue, attempt, null, { db: connection(tx) })) as {
        affected: number;
      };
      if (done.affected !== 1) throw lost(queue, job);
    },
    assertHeld: async (tx, queue, job) => {
      if (!(await lockAttempt(tx, queue, job))) throw lost(queue, job);
    },
    giveBack,
    demote: async (tx, queue, job) => {
      await giveBack(tx, queue, job);
      await moveToLongJobs(tx, queue, job);
    },
    isAnotherWaiting,
    check: async (ms) => {
      // Its statements wait for space, so one for each check would pile up.
      if (!database.canWrite()) throw new Error('the queue waits for space on the disk');
      await within(ms, boss.getDb().executeSql('select 1'), 'the queue did not answer in time');
    },
    drainMs: setup.drainMs,
    stop: () => {
      if (database.backend === 'pglite') (database as EmbeddedDatabase).stopWaiting();
      return within(
        setup.drainMs + CLOSE_MS,
        boss.stop({ graceful: true, timeout: setup.drainMs }),
        'the queue did not stop in time',
      ).catch((error: unknown) => logger.warn({ err: error }, 'connections of the queue were left open'));
    },
  };
}

async function createQueues(boss: PgBoss): Promise<void> {
  const existing = new Set((await boss.getQueues()).map((queue) => queue.name));
  // A dead-letter queue must exist before the queue that names it.
  const ordered = QUEUE_NAMES.toSorted(
    (a, b) => Number('deadLetter' in QUEUES[a].settings) - Number('deadLetter' in QUEUES[b].settings),
  );
  for (const name of ordered) {
    const { settings } = QUEUES[name];
    // The policy of a queue is fixed when it is made; everything else follows the code.
    const { policy, ...options } = settings as QueueOptions & { policy?: string };
    if (existing.has(name)) await boss.updateQueue(name, options);
    else await boss.createQueue(name, { ...options, ...(policy === undefined ? {} : { policy }) });
  }
}

/**
 * Makes pg-boss look up every queue now. It forgets a queue that is created or updated, and would look it up over a
 * connection of its own during our transaction: a deadlock with the embedded database, which has only one connection.
 */
async function rememberQueues(boss: PgBoss): Promise<void> {
  const noJob = newId();
  for (const name of Object.keys(QUEUES)) await boss.findJobs(name, { id: noJob });
}

/**
 * On the embedded database nobody else can be at work when the queue opens, so a job that counts as active was
 * cut off with the last process: it is tried again now, and not when its heartbeat has been missed for long.
 */
async function retryCutOffJobs(boss: PgBoss, database: Database): Promise<void> {
  const cutOff = await listActiveJobs(database);
  for (const { name, ids } of cutOff) await boss.fail(name, ids, { message: 'the process ended' });
}
