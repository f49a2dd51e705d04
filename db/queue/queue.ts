import type { Job, PgBoss, QueueOptions } from 'pg-boss';
import { newId } from '../../shared/ids.ts';
import { type Payload, QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/queues.ts';
import { withTimeout } from '../../shared/resources/async.ts';
import type { Database, Queryable } from '../driver/database.ts';
import type { EmbeddedDatabase } from '../driver/embedded.ts';
import { lockName } from '../queries/common.ts';
import { LISTEN_WAITS, type ListenWaits } from './listen.ts';
import {
  type BossSetup,
  grantQueueToService,
  indexUnfinishedJobs,
  isAnotherWaiting,
  LONG_JOB_TURN,
  listActiveJobs,
  listWaitingJobs,
  listWaitingTeams,
  lockAttempt,
  lockTurns,
  moveToLongJobs,
  openBoss,
  readNextTurn,
  releaseAttempt,
  sendTraced,
  updateTurns,
} from './pg-boss-jobs.ts';

/** The Company and Team whose jobs are enqueued. */
interface JobOwner {
  companyId: string;
  teamId: string;
}

/**
 * Allocates the turns of the next jobs of a Team. A turn is a priority: the highest comes first. Companies take turns,
 * however many jobs or Teams each has; the Teams of a Company share the turns of the Company.
 */
async function allocateTurns(
  tx: Queryable,
  queue: string,
  owner: JobOwner,
  jobs: number,
): Promise<readonly number[]> {
  // Two requests of a Company run one after another, so that the second sees the jobs of the first. Otherwise both
  // would get the same turns.
  await lockName(tx, 'turns', `${queue} ${owner.companyId}`);
  const { turn, isWaiting } = await readNextTurn(tx, queue, owner.companyId);
  const turns = Array.from({ length: jobs }, (_, index) => turn - index);
  return isWaiting ? shareTurns(tx, queue, owner, turns) : turns;
}

/**
 * Divides the turns of a Company among its Teams. If n Teams have waiting jobs, the Team gets every nth turn of the
 * Company after its own last job. These turns come from the other Team with the most waiting jobs, whose jobs move to
 * the new turns. Other Companies are not affected, because the Company still has one turn for each job. Only as many
 * jobs move as are enqueued: moving all later jobs would rewrite thousands of rows at each request.
 */
async function shareTurns(
  tx: Queryable,
  queue: string,
  { companyId, teamId }: JobOwner,
  turns: readonly number[],
): Promise<readonly number[]> {
  const teams = await listWaitingTeams(tx, queue, companyId);
  const others = teams.filter(({ team }) => team !== teamId);
  const [longest] = others;
  if (longest === undefined) return turns;
  const last = teams.find(({ team }) => team === teamId)?.last ?? 0;
  const places = turns.map((_, index) => last + (others.length + 1) * (index + 1));
  const movable = await listWaitingJobs(tx, queue, {
    companyId,
    team: longest.team,
    from: places[0] ?? 0,
    limit: (others.length + 2) * turns.length,
  });
  const displaced = await lockTurns(tx, queue, chooseFrom(movable, places));
  const own = displaced.map(({ turn }) => turn);
  // Divides the new turns between the jobs that moved and the remaining jobs of the Team, in the same proportion.
  const moved: number[] = [];
  for (const [index, turn] of turns.entries()) {
    const isOwn = index % (others.length + 1) === others.length;
    const to = (isOwn && own.length < turns.length) || moved.length === displaced.length ? own : moved;
    to.push(turn);
  }
  await updateTurns(
    tx,
    queue,
    displaced.map(({ id }) => id),
    moved,
  );
  return own;
}

/** Returns, for each of these places, the first job at that place or later. Each job is chosen once. */
function chooseFrom(jobs: readonly { id: string; place: number }[], places: readonly number[]): string[] {
  const left = [...jobs];
  return places.flatMap((place) => {
    while (left[0] !== undefined && left[0].place < place) left.shift();
    const job = left.shift();
    return job === undefined ? [] : [job.id];
  });
}

/** The queue of jobs. Jobs are enqueued and completed in the transaction of the change that they belong to. */
export interface JobQueue {
  /** Enqueues a job. If the queue allows one waiting job for each key, a second job with the same key is dropped. */
  enqueue<Q extends QueueName>(
    tx: Queryable,
    queue: Q,
    payload: Payload<Q>,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Enqueues jobs of one Team. Companies take turns, and the Teams of a Company share its turns. */
  enqueueInTurn<Q extends QueueName>(
    tx: Queryable,
    queue: Q,
    owner: JobOwner,
    payloads: readonly Payload<Q>[],
  ): Promise<void>;
  /** Enqueues jobs of one Team that run when no job of `enqueueInTurn` waits. */
  enqueueLast<Q extends QueueName>(
    tx: Queryable,
    queue: Q,
    owner: JobOwner,
    payloads: readonly Payload<Q>[],
  ): Promise<void>;
  /**
   * Completes the running attempt of a job.
   * @throws LostJobError if another worker runs the job now, so that the transaction is rolled back
   */
  complete(tx: Queryable, queue: QueueName, job: Pick<Job, 'id' | 'retryCount'>): Promise<void>;
  /**
   * Asserts that this attempt of a job is still the running one, and locks it until the transaction ends.
   * @throws LostJobError as `complete`
   */
  assertRunning(tx: Queryable, queue: QueueName, job: Pick<Job, 'id' | 'retryCount'>): Promise<void>;
  /**
   * Releases the running attempt, so that another worker can run the job at once. It does not count as a retry, because
   * the worker stops and nothing has failed.
   * @throws LostJobError as `complete`
   */
  release(tx: Queryable, queue: QueueName, job: Pick<Job, 'id' | 'retryCount'>): Promise<void>;
  /**
   * Releases the running attempt as `release` does, and moves the job to the long jobs.
   * @throws LostJobError as `complete`
   */
  releaseAsLong(
    tx: Queryable,
    queue: QueueName,
    job: Pick<Job, 'id' | 'retryCount' | 'groupId'>,
  ): Promise<void>;
  /** Whether another Company has a job that is ready, and no running job. */
  isAnotherWaiting(tx: Queryable, queue: QueueName, companyId: string): Promise<boolean>;
  /**
   * Sends a query over the queue's own connections.
   * @throws Error if there is no answer within so many milliseconds
   */
  check(ms: number): Promise<void>;
  /** How long running jobs can take to end when the queue stops, in milliseconds. */
  readonly drainMs: number;
  /** pg-boss itself, for the worker, which fetches jobs from it. */
  readonly boss: PgBoss;
  stop(): Promise<void>;
}

/** A job that runs now: its current attempt, and its payload. */
export type RunningJob<Q extends QueueName> = Pick<Job<Payload<Q>>, 'id' | 'retryCount' | 'groupId' | 'data'>;

export interface EnqueueOptions {
  /** With a queue of policy `short`: there is at most one waiting job with this key. */
  key?: string;
  /** Jobs with a higher priority run first. Default: 0. */
  priority?: number;
}

/** Another worker runs the job now, because this worker missed its heartbeats. Nothing was written. */
export class LostJobError extends Error {
  override name = 'LostJobError';
}

function lost(queue: QueueName, { id }: Pick<Job, 'id'>): LostJobError {
  return new LostJobError(`job ${id} of ${queue} was taken over`);
}

function connection(tx: Queryable) {
  return { executeSql: async (text: string, values?: unknown[]) => ({ rows: await tx.query(text, values) }) };
}

const release: JobQueue['release'] = async (tx, queue, job) => {
  if (!(await releaseAttempt(tx, queue, job))) throw lost(queue, job);
};

export interface QueueSetup extends Omit<BossSetup, 'connections'> {
  /** How long running jobs can take to end when the queue stops, in milliseconds. */
  drainMs: number;
  /** How many connections to PostgreSQL the queue has, in addition to the one that listens; 5 if absent. */
  connections?: number;
  /** How long a process that supervises waits until it tries again to listen; `LISTEN_WAITS` if absent. */
  listenWaits?: ListenWaits;
}

/** How many connections the queue has, in addition to the one that listens. */
const DEFAULT_CONNECTIONS = 5;

const LISTEN_UNAVAILABLE =
  'LISTEN is unavailable; polling for jobs instead. Behind a pooler, set MEMORY_DATABASE_DIRECT_URL to the address of the database itself';

/** The data of the warning of pg-boss that it polls only, with why `listen` has failed; null for another warning. */
function readListenWarning({ data }: { data?: object }): { error?: unknown } | null {
  const of: { type?: unknown; error?: unknown } = data ?? {};
  return of.type === 'listen_notify_unavailable' ? of : null;
}

/** How long closing the queue's connections can take after the jobs have ended. A dead connection would never close. */
const CLOSE_MS = 2000;

/** Opens the queue in the service's database, creates its tables and queues, and starts it. */
export async function openQueue(setup: QueueSetup): Promise<JobQueue> {
  const { database, logger, supervise, connections = DEFAULT_CONNECTIONS } = setup;
  const { boss, own } = openBoss({
    ...setup,
    connections,
    // An API listens for the vectors of queries only, and tries again when there is a query.
    listenWaits: supervise ? (setup.listenWaits ?? LISTEN_WAITS) : undefined,
  });
  boss.on('warning', (warning) => {
    const unavailable = readListenWarning(warning);
    if (unavailable !== null) logger.warn({ reason: unavailable.error }, LISTEN_UNAVAILABLE);
    else logger.warn({ warning }, 'the queue reports a warning');
  });
  await boss.start();
  own?.hasStarted();
  await createQueues(boss);
  if (own === null && supervise) await retryInterruptedJobs(boss, database);
  await cacheQueues(boss);
  await indexUnfinishedJobs(database);
  await grantQueueToService(database);

  return {
    boss,
    enqueue: async (tx, queue, payload, options = {}) => {
      await sendTraced(queue, (carried) =>
        boss.send(
          queue,
          { ...payload, ...carried },
          {
            db: connection(tx),
            ...(options.key === undefined ? {} : { singletonKey: options.key }),
            ...(options.priority === undefined ? {} : { priority: options.priority }),
          },
        ),
      );
    },
    enqueueInTurn: async (tx, queue, { companyId, teamId }, payloads) => {
      const turns = await allocateTurns(tx, queue, { companyId, teamId }, payloads.length);
      const group = { id: companyId, tier: teamId };
      await sendTraced(queue, (carried) => {
        const jobs = payloads.map((payload, index) => ({
          data: { ...payload, ...carried },
          group,
          priority: turns[index] ?? 0,
        }));
        return boss.insert(queue, jobs, { db: connection(tx) });
      });
    },
    enqueueLast: async (tx, queue, { companyId, teamId }, payloads) => {
      const group = { id: companyId, tier: teamId };
      await sendTraced(queue, (carried) => {
        const jobs = payloads.map((payload) => ({
          data: { ...payload, ...carried },
          group,
          priority: LONG_JOB_TURN,
        }));
        return boss.insert(queue, jobs, { db: connection(tx) });
      });
    },
    complete: async (tx, queue, job) => {
      const attempt = { id: job.id, retryCount: job.retryCount };
      const done = (await boss.complete(queue, attempt, null, { db: connection(tx) })) as {
        affected: number;
      };
      if (done.affected !== 1) throw lost(queue, job);
    },
    assertRunning: async (tx, queue, job) => {
      if (!(await lockAttempt(tx, queue, job))) throw lost(queue, job);
    },
    release,
    releaseAsLong: async (tx, queue, job) => {
      await release(tx, queue, job);
      await moveToLongJobs(tx, queue, job);
    },
    isAnotherWaiting,
    check: async (ms) => {
      // The queue's statements wait for space on the disk, so the statements of repeated checks would accumulate.
      if (!database.canWrite()) throw new Error('the queue waits for space on the disk');
      await withTimeout(ms, boss.getDb().executeSql('select 1'), 'the queue did not answer in time');
    },
    drainMs: setup.drainMs,
    stop: () => {
      if (database.backend === 'pglite') (database as EmbeddedDatabase).stopWaiting();
      return withTimeout(
        setup.drainMs + CLOSE_MS,
        boss.stop({ graceful: true, timeout: setup.drainMs }).then(() => own?.close()),
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
    // The policy of a queue cannot change after it was created. All other settings can.
    const { policy, ...options } = settings as QueueOptions & { policy?: string };
    if (existing.has(name)) await boss.updateQueue(name, options);
    else await boss.createQueue(name, { ...options, ...(policy === undefined ? {} : { policy }) });
  }
}

/**
 * Makes pg-boss look up every queue now. It forgets a queue that is created or updated, and would look it up over a
 * connection of its own during our transaction: a deadlock with the embedded database, which has only one connection.
 */
async function cacheQueues(boss: PgBoss): Promise<void> {
  const noJob = newId();
  for (const name of Object.keys(QUEUES)) await boss.findJobs(name, { id: noJob });
}

/**
 * With the embedded database, no other process can run jobs when the queue opens. So each active job was interrupted
 * when the last process ended, and is retried now, without waiting until its heartbeat counts as lost.
 */
async function retryInterruptedJobs(boss: PgBoss, database: Database): Promise<void> {
  const interrupted = await listActiveJobs(database);
  for (const { name, ids } of interrupted) await boss.fail(name, ids, { message: 'the process ended' });
}
