import {
  abandonVector,
  askForVector,
  deleteAnswers,
  listenForVectors,
  type VectorAnswer,
} from '../../db/queue/query-embeddings.ts';
import { newId } from '../../shared/ids.ts';
import type { Dependencies } from '../dependencies.ts';

/** Asks workers for vectors of queries, over the queue. */
export interface QueryAnswers {
  /**
   * The vector of a text: 1,024 numbers of length 1, or null where none came in time or the model gave none.
   * @param patienceMs how long to wait
   * @throws Error when the question cannot be asked
   */
  ask(text: string, patienceMs: number): Promise<Float32Array | null>;
  /** Callers that still wait get null. Can be called twice. */
  close(): Promise<void>;
}

/** Where NOTIFY is not passed on, as behind some poolers, answers are looked for this often. */
const LOOK_EVERY_MS = 100;
/** How long it is left at that, until connections that pass NOTIFY on are tried for again. */
const LISTEN_AGAIN_MS = 60_000;
/** So many answers in a row that were found and not heard of are no chance. */
const UNHEARD = 5;

type Setup = Pick<Dependencies, 'database' | 'logger'> & {
  config: Pick<Dependencies['config'], 'embeddingModel'>;
  queue: Pick<Dependencies['queue'], 'boss'>;
};

/** Someone who waits for an answer. */
interface Asker {
  answer(vector: Float32Array | null): void;
  /** Gets none, and takes the question back. */
  giveUp(): void;
}

/** Listens for answers from the first question on. */
export function openQueryAnswers(setup: Setup): QueryAnswers {
  return new Answers(setup);
}

class Answers implements QueryAnswers {
  readonly #setup: Setup;
  readonly #waiting = new Map<string, Asker>();
  /** Statements that must end before the database is closed. They never reject. */
  readonly #underWay = new Set<Promise<void>>();
  #listener: Promise<{ close(): Promise<void> } | null> | null = null;
  #listenFrom = 0;
  /** Answers that were found and not heard of, since one was. */
  #unheard = 0;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;
  #closed = false;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  ask(text: string, patienceMs: number): Promise<Float32Array | null> {
    if (this.#closed) return Promise.resolve(null);
    // Not waited for: until it listens, answers are looked for.
    this.#listen();
    const id = newId();
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(late);
        this.#remove(id);
      };
      const sent = askForVector(this.#setup.queue, { text, patienceMs }, id);
      const giveUp = () => {
        leave();
        resolve(null);
        this.#takeBack(id, sent);
      };
      const late = setTimeout(() => {
        this.#setup.logger.warn({ patienceMs }, 'no worker made the vector of a query in time');
        giveUp();
      }, patienceMs);
      const answer = (vector: Float32Array | null) => {
        leave();
        resolve(vector);
      };
      this.#add(id, { answer, giveUp });
      sent.catch((error: unknown) => {
        if (!this.#waiting.has(id)) return;
        leave();
        reject(error as Error);
        // The row may be there all the same, where the connection broke after it was written.
        this.#takeBack(id, sent);
      });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const asker of this.#waiting.values()) asker.giveUp();
    await Promise.all(this.#underWay);
    const listener = this.#listener;
    this.#listener = null;
    await (await listener)?.close();
  }

  #add(id: string, asker: Asker): void {
    this.#waiting.set(id, asker);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  #remove(id: string): void {
    this.#waiting.delete(id);
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Removes a question, after it was asked: a slow insert would come after the deletion, and its text would stay. */
  #takeBack(id: string, sent: Promise<unknown>): void {
    this.#run('a query that no one waits for could not be removed', async () => {
      await sent.catch(() => undefined);
      await abandonVector(this.#setup.database, id);
    });
  }

  #look(): void {
    // One look at a time: where the database is slow they would add up.
    if (this.#looking || this.#waiting.size === 0) return;
    this.#looking = true;
    this.#take([...this.#waiting.keys()], (found) => {
      this.#looking = false;
      this.#unheard += found;
      if (this.#unheard >= UNHEARD) this.#listenNoMore();
    });
  }

  #take(ids: readonly string[], done: (found: number) => void = () => undefined): void {
    this.#run('answers to queries could not be read', async () => {
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

  /** While the model is being changed a worker may still run the other, whose vectors are near to no stored one. */
  #ownVector({ vector, model }: VectorAnswer): Float32Array | null {
    const { config, logger } = this.#setup;
    if (vector === null || model === config.embeddingModel) return vector;
    logger.warn({ model }, 'a worker made the vector of a query with another model, so it is not used');
    return null;
  }

  #listen(): void {
    if (this.#listener !== null || performance.now() < this.#listenFrom) return;
    const { queue, logger } = this.#setup;
    const hear = (id: string) => {
      this.#unheard = 0;
      // Every API process hears of every answer.
      if (this.#waiting.has(id)) this.#take([id]);
    };
    this.#listener = listenForVectors(queue, hear, () => this.#look()).catch((error: unknown) => {
      logger.warn({ err: error }, 'answers to queries are not told at once, and are looked for instead');
      this.#listenFrom = performance.now() + LISTEN_AGAIN_MS;
      this.#listener = null;
      return null;
    });
  }

  /** A pooler may take LISTEN and pass nothing on: what keeps the connection would complain of that for ever. */
  #listenNoMore(): void {
    this.#unheard = 0;
    const listener = this.#listener;
    if (listener === null) return;
    this.#listenFrom = performance.now() + LISTEN_AGAIN_MS;
    this.#listener = null;
    this.#setup.logger.warn('answers to queries are not told at once, and are looked for instead');
    this.#run('listening for answers could not be ended', async () => (await listener)?.close());
  }

  #run(fault: string, statement: () => Promise<void>): void {
    const running = statement()
      .catch((error: unknown) => this.#setup.logger.warn({ err: error }, fault))
      .finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }
}
