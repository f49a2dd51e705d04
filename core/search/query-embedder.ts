import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { withoutScope } from '../../db/driver/database.ts';
import { listWorkers } from '../../db/queries/jobs/workers.ts';
import { memoizeFor } from '../../shared/resources/memoize-for.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { readiness } from '../status/embedder-view.ts';
import { openQueryAnswers, type QueryAnswers } from './query-answers.ts';

/** The caller who sends a query, and the Team. */
export type QueryCaller = Pick<TeamScope, 'teamId' | 'userId'>;

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
