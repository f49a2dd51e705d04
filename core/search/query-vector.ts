import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { withoutScope } from '../../db/driver/database.ts';
import { listWorkers } from '../../db/queries/status.ts';
import { LISTEN_WAITS } from '../../db/queue/listen.ts';
import {
  deleteAnswers,
  deleteQueryEmbedding,
  enqueueQueryEmbedding,
  listenForVectors,
  type VectorAnswer,
} from '../../db/queue/query-embeddings.ts';
import type { Config } from '../../shared/config.ts';
import { checkDeclaredModel, normalizeEmbedding } from '../../shared/embeddings.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { describeError } from '../../shared/lifecycle.ts';
import { memoizeFor } from '../../shared/resources/async.ts';
import type { SearchRequest } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { readiness } from '../status/queries.ts';

/** Asks workers for vectors of queries, over the queue. */
export interface QueryAnswers {
  /**
   * Returns the vector of a text: 1,024 numbers of length 1, or null if none arrived in time or the model made none.
   * @param timeoutMs how long to wait
   * @throws Error if the question cannot be sent
   */
  request(text: string, timeoutMs: number): Promise<Float32Array | null>;
  /** Answers callers that still wait with null. Can be called twice. */
  close(): Promise<void>;
}

/** How often answers are polled for, because some poolers do not pass on NOTIFY. */
const POLL_INTERVAL_MS = 100;
/** After so many answers in a row that were polled without a notification, LISTEN is considered unavailable. */
const MAX_MISSED_NOTIFICATIONS = 5;
const LISTEN_UNAVAILABLE = 'LISTEN is unavailable; polling for answers to queries instead';

type Setup = Pick<Dependencies, 'database' | 'logger'> & {
  config: Pick<Dependencies['config'], 'embeddingModel'>;
  queue: Pick<Dependencies['queue'], 'boss'>;
};

/** A caller that waits for an answer. */
interface Waiting {
  answer(vector: Float32Array | null): void;
  /** Answers with null, and deletes the question. */
  giveUp(): void;
}

/** Opens the exchange of questions and answers. Listens from the first question on. */
export function openQueryAnswers(setup: Setup): QueryAnswers {
  return new Answers(setup);
}

class Answers implements QueryAnswers {
  readonly #setup: Setup;
  readonly #waiting = new Map<string, Waiting>();
  /** Statements that must end before the database is closed. They never reject. */
  readonly #running = new Set<Promise<void>>();
  #listener: Promise<{ close(): Promise<void> } | null> | null = null;
  #listenFrom = 0;
  /** How long only polling is used if LISTEN turns out to be unavailable. */
  #listenWait = LISTEN_WAITS.first;
  /** Answers that were polled since the last notification. */
  #missedNotifications = 0;
  #timer: NodeJS.Timeout | null = null;
  #isPolling = false;
  #closed = false;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  request(text: string, timeoutMs: number): Promise<Float32Array | null> {
    if (this.#closed) return Promise.resolve(null);
    // Not awaited: until it listens, answers are polled for.
    this.#listen();
    const id = newId();
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(late);
        this.#remove(id);
      };
      const sent = enqueueQueryEmbedding(this.#setup.queue, { text, timeoutMs }, id);
      const giveUp = () => {
        stopWaiting();
        resolve(null);
        this.#abandon(id, sent);
      };
      const late = setTimeout(() => {
        this.#setup.logger.warn({ timeoutMs }, 'no worker made the vector of a query in time');
        giveUp();
      }, timeoutMs);
      const answer = (vector: Float32Array | null) => {
        stopWaiting();
        resolve(vector);
      };
      this.#add(id, { answer, giveUp });
      sent.catch((error: unknown) => {
        if (!this.#waiting.has(id)) return;
        stopWaiting();
        reject(error as Error);
        // The row can exist even so, if the connection broke after it was written.
        this.#abandon(id, sent);
      });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const caller of this.#waiting.values()) caller.giveUp();
    await Promise.all(this.#running);
    const listener = this.#listener;
    this.#listener = null;
    await (await listener)?.close();
  }

  #add(id: string, caller: Waiting): void {
    this.#waiting.set(id, caller);
    this.#timer ??= setInterval(() => this.#poll(), POLL_INTERVAL_MS);
  }

  #remove(id: string): void {
    this.#waiting.delete(id);
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Deletes a question after it was sent: a deletion before a slow insert would leave the text in the queue. */
  #abandon(id: string, sent: Promise<unknown>): void {
    this.#run('deleting the question of an abandoned query failed', async () => {
      await sent.catch(() => undefined);
      await deleteQueryEmbedding(this.#setup.database, id);
    });
  }

  #poll(): void {
    // One poll at a time: on a slow database they would pile up.
    if (this.#isPolling || this.#waiting.size === 0) return;
    this.#isPolling = true;
    this.#receive([...this.#waiting.keys()], (found) => {
      this.#isPolling = false;
      this.#missedNotifications += found;
      if (this.#missedNotifications >= MAX_MISSED_NOTIFICATIONS) this.#stopListening();
    });
  }

  #receive(ids: readonly string[], done: (found: number) => void = () => undefined): void {
    this.#run('reading the answers to queries failed', async () => {
      let found = 0;
      try {
        const answers = await deleteAnswers(this.#setup.database, ids);
        found = answers.length;
        for (const answer of answers) this.#waiting.get(answer.id)?.answer(this.#ownVector(answer));
      } finally {
        done(found);
      }
    });
  }

  /** Returns null for a vector of another model, which a worker can still run while the model is being changed. */
  #ownVector({ vector, model }: VectorAnswer): Float32Array | null {
    const { config, logger } = this.#setup;
    if (vector === null || model === config.embeddingModel) return vector;
    logger.warn({ model }, 'ignoring the vector of a query that was made with another model');
    return null;
  }

  #listen(): void {
    if (this.#listener !== null || performance.now() < this.#listenFrom) return;
    const notified = (id: string) => {
      this.#missedNotifications = 0;
      this.#listenWait = LISTEN_WAITS.first;
      // Every API process is notified of every answer.
      if (this.#waiting.has(id)) this.#receive([id]);
    };
    this.#listener = listenForVectors(this.#setup.queue, notified, () => this.#poll()).catch(
      (error: unknown) => {
        this.#pollOnly(describeError(error));
        return null;
      },
    );
  }

  /** Stops listening until the wait is over. Only the first of several waits is logged: the others have its reason. */
  #pollOnly(reason: string): void {
    this.#listener = null;
    this.#listenFrom = performance.now() + this.#listenWait;
    if (this.#listenWait === LISTEN_WAITS.first) this.#setup.logger.warn({ reason }, LISTEN_UNAVAILABLE);
    this.#listenWait = Math.min(2 * this.#listenWait, LISTEN_WAITS.longest);
  }

  /** Some poolers accept LISTEN and pass on no notification: the listener would log that without end. */
  #stopListening(): void {
    this.#missedNotifications = 0;
    const listener = this.#listener;
    if (listener === null) return;
    this.#pollOnly('no notification arrived');
    this.#run('closing the listener for answers failed', async () => (await listener)?.close());
  }

  #run(failure: string, statement: () => Promise<void>): void {
    const running = statement()
      .catch((error: unknown) => this.#setup.logger.warn({ err: error }, failure))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

/** The caller who sends a query, and the Team. */
type QueryCaller = Pick<TeamScope, 'teamId' | 'userId'>;

/** Makes the vectors of queries, by asking workers. */
export interface QueryEmbedder {
  /**
   * Returns the vector of a query, or null if none is available in time: then only keywords answer the search.
   * @param caller the cache is separate for each: a fast response must not tell one caller what another searched for
   */
  embed(caller: QueryCaller, text: string): Promise<Float32Array | null>;
  close(): Promise<void>;
}

/** About two megabytes of vectors. */
const MAX_CACHED_VECTORS = 512;
const READINESS_CACHE_MS = 1000;

/**
 * Opens the embedder of queries: it caches vectors, and coalesces the same query of a caller into one question.
 * @param answers asks the workers; the default asks over the queue
 */
export function openQueryEmbedder(
  deps: Pick<Dependencies, 'config' | 'database' | 'queue' | 'logger'>,
  answers: QueryAnswers = openQueryAnswers(deps),
): QueryEmbedder {
  // Its keys are hashes, so that no text is kept.
  const recent = new LRUCache<string, Float32Array>({ max: MAX_CACHED_VECTORS });
  const running = new Map<string, Promise<Float32Array | null>>();
  const readReadiness = memoizeFor(READINESS_CACHE_MS, () =>
    withoutScope(deps.database, async (tx) => readiness(await listWorkers(tx), deps.config.embeddingModel)),
  );

  const make = async (key: string, text: string): Promise<Float32Array | null> => {
    const now = await readReadiness();
    if (now !== 'ready' && now !== 'soon') return null;
    const vector = await answers.request(text, deps.config.queryEmbeddingTimeoutMs);
    if (vector !== null) recent.set(key, vector);
    return vector;
  };

  return {
    embed: async ({ teamId, userId }, text) => {
      const key = createHash('sha256').update(`${teamId} ${userId} `).update(text).digest('base64');
      const cached = recent.get(key);
      if (cached !== undefined) return cached;
      const result =
        running.get(key) ??
        make(key, text)
          .catch((error: unknown) => {
            deps.logger.warn({ err: error }, 'asking for the vector of a query failed');
            return null;
          })
          .finally(() => running.delete(key));
      running.set(key, result);
      return result;
    },
    close: () => answers.close(),
  };
}

/** How a search gets the vector of its query: from the request, from a worker, or not at all. */
export type VectorMode = 'client-provided' | 'server' | 'keyword';

/**
 * Chooses how a search gets the vector of its query.
 * @throws ServiceError `query_embedding_required`
 */
export function chooseVectorMode(
  { serverEmbeddings }: Pick<Config, 'serverEmbeddings'>,
  { embeddingMode, queryEmbedding }: Pick<SearchRequest, 'embeddingMode' | 'queryEmbedding'>,
): VectorMode {
  if (embeddingMode === 'server' || embeddingMode === 'keyword') return embeddingMode;
  if (queryEmbedding !== undefined) return 'client-provided';
  if (embeddingMode === 'auto') return serverEmbeddings ? 'server' : 'keyword';
  throw new ServiceError(
    'query_embedding_required',
    serverEmbeddings
      ? 'Send "embeddingMode": "auto", or queryEmbedding, or "embeddingMode": "server", or "embeddingMode": "keyword" to ' +
          'search by words only'
      : 'Send "embeddingMode": "auto", or queryEmbedding, or "embeddingMode": "keyword" to search by words only. The ' +
          'service makes the embedding itself if it was started with MEMORY_API_SERVER_EMBEDDINGS=1',
  );
}

/**
 * Returns the vector of a query, of unit length. Null to search by keyword only: because of the mode, or because no worker
 * made it in time.
 * @throws ServiceError `embedding_model_mismatch`, `embedding_dimension_mismatch`, `invalid_request`
 */
export async function findQueryVector(
  { config, embedder }: Pick<Dependencies, 'config'> & { embedder: QueryEmbedder },
  caller: QueryCaller,
  body: SearchRequest,
  mode: VectorMode,
): Promise<Float32Array | null> {
  if (mode === 'server') return embedder.embed(caller, body.query);
  if (mode === 'keyword' || body.queryEmbedding === undefined) return null;
  checkDeclaredModel(body, config.embeddingModel);
  return normalizeEmbedding(body.queryEmbedding, '/queryEmbedding');
}
