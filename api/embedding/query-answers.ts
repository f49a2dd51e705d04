import type { Database } from '../../db/database.ts';
import {
  abandonVector,
  askForVector,
  listenForVectors,
  takeVectors,
  type VectorAnswer,
} from '../../db/query-embeddings.ts';
import type { JobQueue } from '../../db/queue.ts';
import { newId } from '../../shared/ids.ts';
import type { Logger } from '../../shared/logger.ts';

/** Asks workers for vectors of queries, over the queue. */
export interface QueryAnswers {
  /**
   * The vector of a text: 1,024 numbers of length 1, or null where none came in time or the model gave none.
   * @param patienceMs how long to wait
   */
  ask(text: string, patienceMs: number): Promise<Float32Array | null>;
  /** Whoever still waits gets none. Closing twice is fine. */
  close(): Promise<void>;
}

/** Where NOTIFY is not passed on, as behind some poolers, answers are looked for this often. */
const LOOK_EVERY_MS = 100;

interface Setup {
  database: Database;
  queue: Pick<JobQueue, 'boss'>;
  logger: Logger;
}

/** Listens for answers from the first question on. */
export function openQueryAnswers({ database, queue, logger }: Setup): QueryAnswers {
  const waiting = new Map<string, (vector: Float32Array | null) => void>();
  const cleaning = new Set<Promise<unknown>>();
  let listening: Promise<{ close(): Promise<void> } | null> | null = null;
  let looking: Promise<void> | null = null;
  let closed = false;

  const give = ({ id, vector }: VectorAnswer) => waiting.get(id)?.(vector);
  const take = async (ids: readonly string[]) => {
    try {
      for (const answer of await takeVectors(database, ids)) give(answer);
    } catch (error) {
      logger.warn({ err: error }, 'answers to queries could not be read');
    }
  };
  const look = () => {
    if (waiting.size === 0) return;
    // One look at a time: where the database is slow they would add up.
    looking ??= take([...waiting.keys()]).finally(() => {
      looking = null;
    });
  };
  const hear = (id: string) => {
    // Every API process hears of every answer.
    if (waiting.has(id)) void take([id]);
  };
  const listen = () =>
    listenForVectors(queue, hear, look).catch((error: unknown) => {
      logger.warn({ err: error }, 'answers to queries are not told at once, and are looked for instead');
      return null;
    });
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();

  const clean = (id: string) => {
    const done = abandonVector(database, id).catch((error: unknown) => {
      logger.warn({ err: error }, 'a query that no one waits for could not be removed');
    });
    cleaning.add(done);
    void done.finally(() => cleaning.delete(done));
  };

  return {
    ask: async (text, patienceMs) => {
      if (closed) return null;
      await (listening ??= listen());
      const id = newId();
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(late);
          waiting.delete(id);
        };
        const late = setTimeout(() => {
          end();
          clean(id);
          resolve(null);
        }, patienceMs);
        waiting.set(id, (vector) => {
          end();
          resolve(vector);
        });
        askForVector(queue, { text, patienceMs }, id).catch((error: unknown) => {
          end();
          reject(error as Error);
        });
      });
    },
    close: async () => {
      closed = true;
      clearInterval(timer);
      for (const [id, answer] of waiting) {
        answer(null);
        clean(id);
      }
      await looking;
      await Promise.all(cleaning);
      await (await listening)?.close();
    },
  };
}
