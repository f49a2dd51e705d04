/**
 * Passes on a large value without keeping it in memory. After `drop`, this object no longer refers to the value, so
 * that the value can be collected as soon as its last user no longer needs it.
 */
export class SoleReference<T> {
  #reference: { value: T } | null;

  constructor(value: T) {
    this.#reference = { value };
  }

  /** @throws Error if it was dropped */
  get value(): T {
    if (this.#reference === null) throw new Error('the value was dropped');
    return this.#reference.value;
  }

  /**
   * Returns the value and removes the reference to it.
   * @throws Error if it was already dropped
   */
  drop(): T {
    const { value } = this;
    this.#reference = null;
    return value;
  }
}
