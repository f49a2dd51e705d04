import type { Lane } from './model-process.ts';

/** The model gave no vector of this text, twice: asking again is of no use. */
export class TextRefusedError extends Error {
  override name = 'TextRefusedError';
}

/** Nobody waits for the vector, or the model cannot be used. Nothing is wrong with the text. */
export class EmbeddingInterruptedError extends Error {
  override name = 'EmbeddingInterruptedError';
}

/** Queries first: they overtake passages. */
export const LANES: readonly Lane[] = ['query', 'passage'];

/** A text under which the process ended so often is to blame. */
const TRIES = 2;

/** A text that waits for its vector or is under way. */
interface Waiting {
  text: string;
  /** How often the process ended under it. */
  ended: number;
  signal: AbortSignal;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** The texts that wait for the model, in two lanes, and the one of each that is under way. */
export class TextLanes {
  readonly #waiting: Record<Lane, Waiting[]> = { query: [], passage: [] };
  readonly #underWay: Record<Lane, Waiting | null> = { query: null, passage: null };

  #closed = false;

  /** Nothing is under way. */
  get idle(): boolean {
    return LANES.every((lane) => this.#underWay[lane] === null);
  }

  /**
   * Adds a text at the end of its lane.
   * @param signal aborts when nobody waits for the vector: the text leaves the lane if it is not under way
   * @throws TextRefusedError
   * @throws EmbeddingInterruptedError
   */
  add(text: string, lane: Lane, signal: AbortSignal): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const place = this.#waiting[lane].indexOf(waiting);
        if (place >= 0) this.#waiting[lane].splice(place, 1);
        reject(new EmbeddingInterruptedError('no one waits for the vector'));
      };
      const end = () => signal.removeEventListener('abort', leave);
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
        leave();
        return;
      }
      signal.addEventListener('abort', leave);
      this.#waiting[lane].push(waiting);
    });
  }

  /** The next text of a lane that has none under way; it is from now on. */
  take(lane: Lane): string | undefined {
    if (this.#underWay[lane] !== null) return undefined;
    const next = this.#waiting[lane].shift();
    if (next !== undefined) this.#underWay[lane] = next;
    return next?.text;
  }

  /** Ends the text of a lane that is under way. */
  answer(lane: Lane, vector: Float32Array): void {
    const waiting = this.#underWay[lane];
    this.#underWay[lane] = null;
    waiting?.resolve(vector);
  }

  /**
   * The process ended: what is under way waits again, before all others, unless it ended once too often.
   * @param running whose text the process worked on
   * @returns how many texts were refused
   */
  putBack(running: Lane | null): number {
    let refused = 0;
    for (const lane of LANES) {
      const waiting = this.#underWay[lane];
      this.#underWay[lane] = null;
      // Nobody waits for it: it need not be computed again.
      if (waiting === null || waiting.signal.aborted) continue;
      if (running === lane) waiting.ended += 1;
      if (waiting.ended < TRIES) this.#waiting[lane].unshift(waiting);
      else {
        refused += 1;
        waiting.reject(new TextRefusedError('the process of the model ended twice over it'));
      }
    }
    return refused;
  }

  /** Rejects the texts that wait or are under way, and every text that is added later. */
  close(): void {
    this.#closed = true;
    this.interrupt('the worker stops');
  }

  /** Nobody who is there gets a vector: another worker may have a model that works. */
  interrupt(reason: string): void {
    const gone = new EmbeddingInterruptedError(reason);
    for (const lane of LANES) {
      this.#underWay[lane]?.reject(gone);
      this.#underWay[lane] = null;
      for (const waiting of this.#waiting[lane].splice(0)) waiting.reject(gone);
    }
  }
}
