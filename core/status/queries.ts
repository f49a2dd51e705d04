import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Database, type TeamTransaction, transaction, withoutScope } from '../../db/driver/database.ts';
import {
  countPendingChunks,
  countTeamFigures,
  findTeamUsage,
  findWriteObstacle,
  listLatestFailures,
  listWorkers,
  type Usage,
  type WorkerRecord,
  type WriteObstacle,
} from '../../db/queries/status.ts';
import { countJobs, hasStalledJobs, listPasts } from '../../db/queue/pg-boss-figures.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { hasRight } from '../../shared/access.ts';
import type { Config } from '../../shared/config.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { describeSeconds } from '../../shared/formats/times.ts';
import type { Logger } from '../../shared/logger.ts';
import { MODEL_QUEUES, QUEUE_NAMES } from '../../shared/queues.ts';
import { memoizeFor, withTimeout } from '../../shared/resources/async.ts';
import type { EmbedderState, QueueStatus, Status } from '../../shared/schemas/status.ts';
import { readsTeamFigures, type TeamScope } from '../../shared/scope.ts';
import { type DefaultQuota, type Quota, quotaInForce } from '../../shared/settings/team-settings.ts';
import { hasSeveralCompanies } from '../companies/queries.ts';
import type { Dependencies } from '../dependencies.ts';

/** Whether a worker can make vectors: now, soon enough to wait for it, or not at all, with the reason. */
export type Readiness = 'ready' | 'soon' | { problem: string };

const PROBLEMS: Readonly<Record<EmbedderState['state'], string>> = {
  ready: '',
  loading: 'The worker is loading the model',
  fetching: 'The worker is fetching the model',
  missing: 'The worker cannot get the files of the model: its log says which, and where it looked',
  failing: 'The worker cannot load the model: its log says why',
};

/** The worker with the best state decides. */
const READINESS_ORDER: readonly EmbedderState['state'][] = [
  'ready',
  'loading',
  'fetching',
  'failing',
  'missing',
];

/**
 * Returns whether one of the live workers can make vectors.
 * @param model workers with another model do not count: their vectors cannot be compared with the stored ones
 */
export function readiness(workers: readonly Pick<WorkerRecord, 'embedder'>[], model: string): Readiness {
  const all = workers.flatMap(({ embedder }) => (embedder === null ? [] : [embedder]));
  const states = all.filter((embedder) => embedder.model === model);
  if (all.length > states.length && states.length === 0) {
    return { problem: 'Every worker that is running has another model' };
  }
  const best = READINESS_ORDER.find((state) => states.some((candidate) => candidate.state === state));
  if (best === 'ready') return 'ready';
  if (best === 'loading') return 'soon';
  if (best === undefined) return { problem: 'No worker that makes vectors is running' };
  const { fetched = null, fetchSecondsLeft = null } = states.find(({ state }) => state === best) ?? {};
  // At 0, what has arrived is being verified.
  const left = fetchSecondsLeft ? `, about ${describeSeconds(fetchSecondsLeft)} left` : '';
  const share = fetched === null ? '' : ` (${Math.round(fetched * 100)} %${left})`;
  return { problem: `${PROBLEMS[best]}${share}` };
}

function readinessOf(workers: readonly Pick<WorkerRecord, 'embedder'>[] | null, model: string): Readiness {
  return workers === null ? { problem: 'The database does not answer' } : readiness(workers, model);
}

/**
 * Describes how embeddings are made: by programs only, or by the service too, with the problem if it cannot make them now.
 * @param workers the live ones; null if the database does not answer
 */
export function embedderView(
  config: Pick<Config, 'serverEmbeddings' | 'embeddingModel'>,
  workers: readonly Pick<WorkerRecord, 'embedder'>[] | null,
) {
  const now = config.serverEmbeddings ? readinessOf(workers, config.embeddingModel) : 'ready';
  return {
    mode: config.serverEmbeddings ? ('server' as const) : ('client-provided' as const),
    model: config.embeddingModel,
    dim: EMBEDDING_DIM,
    serverModeEnabled: config.serverEmbeddings,
    ...(now === 'ready' ? {} : { problem: now === 'soon' ? PROBLEMS.loading : now.problem }),
  };
}

/** Shorter than the time-out of probes, which is 3 seconds or more for most of them. */
const DATABASE_TIMEOUT_MS = 2000;

type Needed = Pick<Dependencies, 'config' | 'database' | 'logger'>;

/**
 * The answer of the database, or null if it fails or takes too long: a health check must not wait for a database that
 * hangs.
 */
async function withinTimeout<T>(logger: Logger, answer: Promise<T>): Promise<T | null> {
  try {
    return await withTimeout(DATABASE_TIMEOUT_MS, answer, 'the database did not answer in time');
  } catch (error) {
    logger.warn({ err: error }, 'the database does not answer');
    return null;
  }
}

/** The running workers, if the service needs them for embeddings. Null if the database does not answer. */
function readWorkers({ config, database, logger }: Needed): Promise<WorkerRecord[] | null> {
  const workers = config.serverEmbeddings
    ? withoutScope(database, listWorkers)
    : database.query('select 1').then(() => []);
  return withinTimeout(logger, workers);
}

/** Returns whether the database answers, and how embeddings are made. Never rejects because of the database. */
export async function checkHealth(deps: Needed) {
  const workers = await readWorkers(deps);
  return {
    ok: workers !== null,
    backend: deps.database.backend,
    embedder: embedderView(deps.config, workers),
  };
}

/**
 * Returns whether the database answers and can store changes, and why not if it answers that. Never rejects because of
 * the database.
 */
export async function checkReadiness({
  database,
  logger,
}: Pick<Dependencies, 'database' | 'logger'>): Promise<{ writes: boolean; reason?: WriteObstacle }> {
  // A search writes an audit event, so it cannot be answered if the database cannot write.
  if (!database.canWrite() && database.backend === 'pglite') return { writes: false };
  const found = await withinTimeout(
    logger,
    findWriteObstacle(database).then((obstacle) => ({ obstacle })),
  );
  if (found === null) return { writes: false };
  return found.obstacle === null ? { writes: true } : { writes: false, reason: found.obstacle };
}

/** What the Team of the scope stores and can store; nothing for callers who see no figures of the whole Team. */
export async function readUsage(
  tx: TeamTransaction,
  defaults: DefaultQuota,
): Promise<{ usage: Usage; quota: Quota } | undefined> {
  if (!readsTeamFigures(tx.scope)) return undefined;
  const { usage, quota } = await findTeamUsage(tx);
  return { usage, quota: quotaInForce(quota, defaults) };
}

const RECENT_FAILURES = 10;

/** Read figures of the whole service, on connections of their own. */
export interface ServiceReaders {
  /** Those of one Company, or of the whole service with null. */
  readQueues: (companyId: string | null) => Promise<QueueStatus[]>;
  readQueueHealth: () => Promise<boolean>;
  /** How many passages of the service wait for a vector. */
  readPendingChunks: () => Promise<number>;
}

/**
 * Reads the status: figures of the content that the scope can read and, with Full access, of jobs and workers. If the service has
 * several Companies, these tell nothing of the work for others.
 * @param isOperator whether the service's own token asks, to which the figures of the whole service are shown
 */
export async function getStatus(
  {
    config,
    database,
    readQueues,
    readQueueHealth,
    readPendingChunks,
  }: Pick<Dependencies, 'config' | 'database'> & ServiceReaders,
  scope: TeamScope,
  isOperator: boolean,
): Promise<Status> {
  const canReadWorkload = hasRight(scope, 'readWorkload');
  const isShared = canReadWorkload && !isOperator && (await hasSeveralCompanies({ database }));
  const [{ figures, recentFailures, workers, storage }, jobs, queue] = await Promise.all([
    transaction(database, scope, async (tx) => ({
      figures: await countTeamFigures(tx),
      recentFailures: await listLatestFailures(tx, RECENT_FAILURES),
      workers: await listWorkers(tx),
      storage: await readUsage(tx, config),
    })),
    canReadWorkload ? readQueues(isShared ? scope.companyId : null) : [],
    readQueueHealth(),
  ]);
  const worker = workers.length > 0;
  // How long it takes depends on the passages of all Companies.
  const showsTimeLeft = canReadWorkload && !isShared && config.serverEmbeddings && figures.chunks.pending > 0;
  const secondsLeft = showsTimeLeft
    ? timeLeft(await readPendingChunks(), workers, config.embeddingModel)
    : null;
  return {
    // If the database does not answer, the request fails.
    health: { ok: queue && worker, database: true, queue, worker },
    ...figures,
    ...storage,
    chunks: { ...figures.chunks, ...(secondsLeft === null ? {} : { secondsLeft }) },
    imports: { ...figures.imports, recentFailures },
    jobs,
    embedder: embedderView(config, workers),
    workers: canReadWorkload ? (isShared ? workers.map(withoutLoad) : workers) : [],
  };
}

/** A worker without what changes with the work for other Companies. */
const withoutLoad = ({ embedder, ...worker }: WorkerRecord): WorkerRecord => ({
  ...worker,
  startedAt: worker.lastSeenAt,
  queues: [],
  rssBytes: 0,
  embedder: embedder && { ...embedder, chunksPerMinute: 0 },
});

/**
 * Estimates how long until no passage waits for a vector, in seconds. Null if no worker has made vectors of this model in
 * the last minute.
 */
export function timeLeft(
  pending: number,
  workers: readonly Pick<WorkerRecord, 'embedder'>[],
  model: string,
): number | null {
  const perMinute = workers
    .flatMap(({ embedder }) => (embedder?.model === model && embedder.state === 'ready' ? [embedder] : []))
    .reduce((sum, { chunksPerMinute }) => sum + chunksPerMinute, 0);
  return perMinute === 0 ? null : Math.ceil((pending * 60) / perMinute);
}

/** How long the number of waiting passages is cached: many callers poll it. */
const PENDING_CACHE_MS = 5000;

/** Counts the passages of the service that wait for a vector. */
export function pendingChunksReader(database: Database): () => Promise<number> {
  return memoizeFor(PENDING_CACHE_MS, () => withoutScope(database, countPendingChunks));
}

/** How long to wait for an answer of the queue. */
const QUEUE_TIMEOUT_MS = 2000;
/** How long the result is cached: many callers poll it, and it changes within minutes, not seconds. */
const CACHE_MS = 1000;

/** Without the queues whose jobs wait on purpose until a model is ready. The status of the model shows that. */
const WATCHED_QUEUES = QUEUE_NAMES.filter((name) => !MODEL_QUEUES.includes(name));

/** Whether the queue works: it answers on its own connections, and ready jobs are run. */
export function queueHealthReader({
  database,
  queue,
  logger,
}: Pick<Dependencies, 'database' | 'queue' | 'logger'>): () => Promise<boolean> {
  const answers = async () => {
    try {
      await queue.check(QUEUE_TIMEOUT_MS);
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'the queue does not answer');
      return false;
    }
  };
  return memoizeFor(CACHE_MS, async () => {
    const [isAnswering, isStalled] = await Promise.all([
      answers(),
      withoutScope(database, (tx) => hasStalledJobs(tx, WATCHED_QUEUES)),
    ]);
    return isAnswering && !isStalled;
  });
}

/** How long the history is cached, in milliseconds. pg-boss adds to it every 15 seconds. */
const HISTORY_CACHE_MS = 10_000;

/**
 * Reads the state and the last hour of every queue. The history costs three times as much to read and is cached,
 * because many callers poll it. It is known of the whole service only, so one Company gets none.
 */
export function queueReader(database: Database): ServiceReaders['readQueues'] {
  const readHistories = memoizeFor(HISTORY_CACHE_MS, () =>
    withoutScope(database, (tx) => listPasts(tx, QUEUE_NAMES)),
  );
  return async (companyId) => {
    const [histories, figures] = await Promise.all([
      companyId === null ? readHistories() : [],
      withoutScope(database, (tx) => countJobs(tx, QUEUE_NAMES, companyId)),
    ]);
    const historyOf = new Map(histories.map(({ queue, history }) => [queue, history]));
    return figures.map((now) => ({ ...now, history: historyOf.get(now.queue) ?? [] }));
  };
}

/** What runs here. */
export interface Build {
  /** Of package.json. */
  version: string;
  /** Null if it is not known. */
  commit: string | null;
}

const ROOT = join(import.meta.dirname, '../..');

/** `gitHead` is in the manifest of a release, which is no checkout: `npm run pack` writes it. */
const { version, gitHead = null } = packageJson as { version: string; gitHead?: string };

/** Reads what runs here: the commit of the Git checkout or of the release, or else that of the settings. */
export function readBuild({ commit }: Pick<Config, 'commit'>, root: string = ROOT): Build {
  return { version, commit: readCheckout(root) ?? gitHead ?? commit };
}

/** The commit that is checked out in a folder. Null if the folder has no Git repository of its own. */
function readCheckout(root: string): string | null {
  try {
    const folder = repositoryOf(root);
    const head = readText(folder, 'HEAD');
    const name = after('ref: ', head);
    return name === null ? head : readReference(folder, name);
  } catch {
    // No checkout, or one in a form that is not read here. The commit is only shown.
    return null;
  }
}

/** In a second worktree, `.git` is a file with the address of the folder. */
function repositoryOf(root: string): string {
  const path = join(root, '.git');
  if (statSync(path).isDirectory()) return path;
  return resolve(root, after('gitdir: ', readText(path)) ?? '');
}

function readReference(folder: string, name: string): string | null {
  // The references of all worktrees are in one folder.
  const shared = attempt(() => resolve(folder, readText(folder, 'commondir'))) ?? folder;
  return attempt(() => readText(shared, name)) ?? findPacked(readText(shared, 'packed-refs'), name);
}

function findPacked(list: string, name: string): string | null {
  const line = list.split('\n').find((each) => each.endsWith(` ${name}`));
  return line?.split(' ')[0] ?? null;
}

function after(beginning: string, text: string): string | null {
  return text.startsWith(beginning) ? text.slice(beginning.length) : null;
}

function readText(...path: readonly string[]): string {
  return readFileSync(join(...path), 'utf8').trim();
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
