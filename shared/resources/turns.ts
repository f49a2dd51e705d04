/**
 * Shares one thread between groups of tasks. One task has the turn at a time. The groups alternate; within a group,
 * tasks have their turns in the order in which they asked. However many tasks one group has, another group waits at
 * most for one turn of each group.
 */
export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>();
  #busy = false;

  /** Waits for a turn. The caller must call `release` at its end. */
  async acquire(group: string): Promise<void> {
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

  /** Ends a turn. The next one begins after a turn of the event loop, in which new tasks can arrive. */
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
    // The group moves to the end of the queue.
    this.#waiting.delete(group);
    if (own.length > 0) this.#waiting.set(group, own);
    resolve?.();
  }
}
