import type { Lane } from './model-process.ts';

/** The model failed to make a vector of this text twice, so a retry is useless. */
export class TextRefusedError extends Error {
  override name = 'TextRefusedError';
}

/** Nobody waits for the vector, or the model cannot be used. The text is not at fault. */
export class EmbeddingInterruptedError extends Error {
  override name = 'EmbeddingInterruptedError';
}

/** Queries first: they overtake passages. */
export const LANES: readonly Lane[] = ['query', 'passage'];

/** If the process ends this often while it processes the same text, the text is at fault. */
const TRIES = 2;

/** A text that is waiting or being processed. */
interface Waiting {
  text: string;
  /** How often the process ended while it processed this text. */
  ended: number;
  signal: AbortSignal;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** The texts that wait for the model, in two lanes, and the text of each lane that is being processed. */
export class TextLanes {
  readonly #waiting: Record<Lane, Waiting[]> = { query: [], passage: [] };
  readonly #underWay: Record<Lane, Waiting | null> = { query: null, passage: null };

  #closed = false;

  /** Whether no text is being processed. */
  get idle(): boolean {
    return LANES.every((lane) => this.#underWay[lane] === null);
  }

  /**
   * Adds a text at the end of its lane.
   * @param signal aborts when nobody waits for the vector: the text is then removed, unless it is being processed
   * @throws TextRefusedError
   * @throws EmbeddingInterruptedError
   */
  enqueue(text: string, lane: Lane, signal: AbortSignal): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      const remove = () => {
        const place = this.#waiting[lane].indexOf(waiting);
        if (place >= 0) this.#waiting[lane].splice(place, 1);
        reject(new EmbeddingInterruptedError('nobody waits for the vector'));
      };
      const end = () => signal.removeEventListener('abort', remove);
      const waiting: Waiting = {
        text,
        ended: 0,
        signal,
        resolve: (vector) => {
          end();
          resolve(vector);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      if (signal.aborted || this.#closed) {
        remove();
        return;
      }
      signal.addEventListener('abort', remove);
      this.#waiting[lane].push(waiting);
    });
  }

  /** Returns the next text of a lane and marks it as being processed. Undefined if the lane already has one. */
  dequeue(lane: Lane): string | undefined {
    if (this.#underWay[lane] !== null) return undefined;
    const next = this.#waiting[lane].shift();
    if (next !== undefined) this.#underWay[lane] = next;
    return next?.text;
  }

  /** Resolves the text of a lane that is being processed. */
  answer(lane: Lane, vector: Float32Array): void {
    const waiting = this.#underWay[lane];
    this.#underWay[lane] = null;
    waiting?.resolve(vector);
  }

  /**
   * Handles the end of the process. The texts being processed wait again, before all others, except a text that has
   * ended too many processes.
   * @param running the lane of the text that the process was working on
   * @returns how many texts were refused
   */
  requeue(running: Lane | null): number {
    let refused = 0;
    for (const lane of LANES) {
      const waiting = this.#underWay[lane];
      this.#underWay[lane] = null;
      // Nobody waits for it, so it is not computed again.
      if (waiting === null || waiting.signal.aborted) continue;
      if (running === lane) waiting.ended += 1;
      if (waiting.ended < TRIES) this.#waiting[lane].unshift(waiting);
      else {
        refused += 1;
        waiting.reject(new TextRefusedError('the model process ended twice while it processed this text'));
      }
    }
    return refused;
  }

  /** Rejects all texts, and every text that is added later. */
  close(): void {
    this.#closed = true;
    this.interrupt('the worker stops');
  }

  /** Rejects all texts, so that another worker, whose model works, can process them. */
  interrupt(reason: string): void {
    const gone = new EmbeddingInterruptedError(reason);
    for (const lane of LANES) {
      this.#underWay[lane]?.reject(gone);
      this.#underWay[lane] = null;
      for (const waiting of this.#waiting[lane].splice(0)) waiting.reject(gone);
    }
  }
}

const SPAN_MS = 60_000;

/** The rate at which chunks recently got their vectors. */
export interface Pace {
  add(chunks: number): void;
  /** Over the last minute, or since the first vector if that is less. */
  perMinute(): number;
}

export function pace(now: () => number = () => performance.now()): Pace {
  let stored: { at: number; chunks: number }[] = [];
  let first: number | null = null;
  const recent = () => {
    const from = now() - SPAN_MS;
    stored = stored.filter(({ at }) => at > from);
    return stored;
  };
  return {
    add: (chunks) => {
      first ??= now();
      stored.push({ at: now(), chunks });
    },
    perMinute: () => {
      const chunks = recent().reduce((sum, part) => sum + part.chunks, 0);
      // How long the first vectors took is not known, so at least one second is assumed.
      const span = Math.min(SPAN_MS, Math.max(1000, now() - (first ?? now())));
      return Math.round((chunks * SPAN_MS) / span);
    },
  };
}
