import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type DirectOrder =
  /** The texts to measure on; told are their lengths in tokens. */
  | { tokenize: string[] }
  /** Runs the bare model over those texts from one place up to another, one at a time. */
  | { run: { from: number; to: number } }
  /** The vector of a query. */
  | { query: string };

export interface DirectAnswer {
  /** What it took in milliseconds; nothing of preparations. */
  ms: number;
  lengths?: number[];
  vector?: number[];
}

/** The model without the service, in a process of its own, to measure the service against. */
export class Direct {
  readonly #child: ChildProcess;

  constructor(modelDir: string, model: string) {
    const { PATH, HOME } = process.env;
    this.#child = fork(join(import.meta.dirname, 'direct-process.ts'), [modelDir, model], {
      env: { PATH, HOME },
      serialization: 'advanced',
    });
  }

  async ask(order: DirectOrder): Promise<DirectAnswer> {
    const listening = new AbortController();
    const { signal } = listening;
    const exit = once(this.#child, 'exit', { signal }).then(([code]) => {
      throw new Error(`the process of the bare model ended with ${String(code)}`);
    });
    exit.catch(() => undefined);
    const answer = once(this.#child, 'message', { signal });
    answer.catch(() => undefined);
    this.#child.send(order);
    try {
      return ((await Promise.race([answer, exit])) as [DirectAnswer])[0];
    } finally {
      listening.abort();
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await gone;
  }
}
