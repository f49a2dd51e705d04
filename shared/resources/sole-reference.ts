/**
 * Passes a large value on without keeping it: after `drop`, this object does not refer to the value, so that it can be
 * collected while its last user works.
 */
export class SoleReference<T> {
  #kept: { value: T } | null;

  constructor(value: T) {
    this.#kept = { value };
  }

  /** @throws Error where it was dropped */
  get value(): T {
    if (this.#kept === null) throw new Error('the value was dropped');
    return this.#kept.value;
  }

  /**
   * Returns the value, and keeps it no longer.
   * @throws Error where it was dropped before
   */
  drop(): T {
    const { value } = this;
    this.#kept = null;
    return value;
  }
}
