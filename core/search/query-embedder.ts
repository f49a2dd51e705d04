import { createHash } from 'node:crypto';
import { withoutScope } from '../../db/driver/database.ts';
import { listWorkers } from '../../db/queries/jobs/workers.ts';
import { memoizeFor } from '../../shared/resources/memoize-for.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { readiness } from './embedder-view.ts';
import { openQueryAnswers, type QueryAnswers } from './query-answers.ts';

/** Who asks, and in which Team. */
export type Asker = Pick<TeamScope, 'teamId' | 'userId'>;

/** Makes the vectors of queries, by asking workers. */
export interface QueryEmbedder {
  /**
   * The vector of a query, or null where none can be had in time: then keywords alone must answer.
   * @param asker whose query it is: what one asked must not be told to another by how fast it is answered
   */
  embed(asker: Asker, text: string): Promise<Float32Array | null>;
  close(): Promise<void>;
}

/** Some two megabytes of vectors. */
const KEPT = 512;
/** How long it is believed that a worker can, or cannot. */
const BELIEVED_MS = 1000;

/** The vectors of recent queries, by who asked and what, hashed: no text is kept. Least recently used goes first. */
class RecentVectors {
  readonly #vectors = new Map<string, Float32Array>();

  get(key: string): Float32Array | undefined {
    const vector = this.#vectors.get(key);
    if (vector === undefined) return undefined;
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    return vector;
  }

  set(key: string, vector: Float32Array): void {
    this.#vectors.set(key, vector);
    const [oldest] = this.#vectors.keys();
    if (this.#vectors.size > KEPT && oldest !== undefined) this.#vectors.delete(oldest);
  }
}

/** @param answers asks the workers, where it is not the queue that does */
export function openQueryEmbedder(
  deps: Pick<Dependencies, 'config' | 'database' | 'queue' | 'logger'>,
  answers: QueryAnswers = openQueryAnswers(deps),
): QueryEmbedder {
  const recent = new RecentVectors();
  const underWay = new Map<string, Promise<Float32Array | null>>();
  const readReadiness = memoizeFor(BELIEVED_MS, () =>
    withoutScope(deps.database, async (tx) => readiness(await listWorkers(tx), deps.config.embeddingModel)),
  );

  const make = async (key: string, text: string): Promise<Float32Array | null> => {
    const now = await readReadiness();
    if (now !== 'ready' && now !== 'soon') return null;
    const vector = await answers.ask(text, deps.config.queryEmbeddingTimeoutMs);
    if (vector !== null) recent.set(key, vector);
    return vector;
  };

  return {
    embed: async ({ teamId, userId }, text) => {
      const key = createHash('sha256').update(`${teamId} ${userId} `).update(text).digest('base64');
      const kept = recent.get(key);
      if (kept !== undefined) return kept;
      // The same question at the same time is asked once.
      const asked =
        underWay.get(key) ??
        make(key, text)
          .catch((error: unknown) => {
            deps.logger.warn({ err: error }, 'no vector of a query can be had');
            return null;
          })
          .finally(() => underWay.delete(key));
      underWay.set(key, asked);
      return asked;
    },
    close: () => answers.close(),
  };
}
