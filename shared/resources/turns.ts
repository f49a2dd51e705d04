/**
 * Shares one thread: one turn at a time, to groups one after the other, and within a group to who asked first. However
 * much one group asks for, another waits for one turn of each group at most.
 */
export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>();
  #busy = false;

  /** Waits for a turn. The caller must call `release` at its end. */
  async take(group: string): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    await new Promise<void>((resolve) => {
      const own = this.#waiting.get(group);
      if (own === undefined) this.#waiting.set(group, [resolve]);
      else own.push(resolve);
    });
  }

  /** Ends a turn. The next begins after one turn of the event loop, which may bring others that want one. */
  release(): void {
    setImmediate(() => this.#next());
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#busy = false;
      return;
    }
    const [group, own] = first;
    const resolve = own.shift();
    // To the end of the line.
    this.#waiting.delete(group);
    if (own.length > 0) this.#waiting.set(group, own);
    resolve?.();
  }
}
