import { randomInt } from 'node:crypto';

/** At first there are 2 to this power slots: enough for a chunk of usual length. */
const SLOT_BITS = 11;

/**
 * A number is looked for in so many slots. Hashes are spread evenly, so that ordinary texts need a few. But anyone can choose
 * words whose hashes are close to each other: then each would be looked for among all others.
 */
const MAX_LOOKUPS = 64;

/** Makes it impossible to choose numbers that are close to each other in a `Map` too. */
const SALT = randomInt(2 ** 32);

interface Drained {
  numbers: Int32Array<ArrayBuffer>;
  counts: Int32Array<ArrayBuffer>;
}

/**
 * How often numbers were added, in a hash table that is used again and again: a `Map`, and sorting its keys, took most of
 * the time of counting the terms of a chunk. The numbers are hashes, so their highest bits choose the slot. Then the slots
 * are almost in the order of the numbers.
 */
export class Counts {
  readonly #bits: number;
  /** Makes signed numbers ascend as unsigned ones. */
  readonly #sign: number;
  #numbers = new Int32Array(0);
  /** 0 if the slot is free. */
  #counts = new Int32Array(0);
  #shift = 0;
  #size = 0;
  /** The counts of the numbers that found no slot, by `number ^ SALT`. */
  #crowded = new Map<number, number>();

  /**
   * @param bits of the numbers; with 32 they are signed, else from 0, and 2 to this power occurs too
   */
  constructor(bits: number) {
    this.#bits = bits;
    this.#sign = bits === 32 ? -(2 ** 31) : 0;
    this.#allocate(SLOT_BITS);
  }

  /** @param count above 0 */
  add(number: number, count: number): void {
    const slot = this.#slotOf(number);
    if (slot === null) {
      const key = number ^ SALT;
      this.#crowded.set(key, (this.#crowded.get(key) ?? 0) + count);
      return;
    }
    if (this.#counts[slot] === 0) {
      this.#numbers[slot] = number;
      this.#size += 1;
    }
    this.#counts[slot]! += count;
    // At most half of the slots are in use, so that few others are looked at.
    if (this.#size * 2 > this.#counts.length) this.#grow();
  }

  /** Returns the numbers, ascending, with their counts, and removes them. */
  drain(): Drained {
    const [numbers, counts, size] = [this.#numbers, this.#counts, this.#size];
    let used = 0;
    for (let slot = 0; slot < counts.length; slot++) {
      const count = counts[slot]!;
      numbers[used] = numbers[slot]!;
      counts[used] = count;
      // Without a condition, which the processor could not predict.
      used += -count >>> 31;
    }
    sortAlmostSorted(numbers, counts, size);
    const drained = this.#withCrowded({ numbers: numbers.slice(0, size), counts: counts.slice(0, size) });
    if (counts.length === 2 ** SLOT_BITS) counts.fill(0);
    else this.#allocate(SLOT_BITS);
    this.#size = 0;
    return drained;
  }

  /** Adds the numbers that found no slot, and removes them. */
  #withCrowded(drained: Drained): Drained {
    if (this.#crowded.size === 0) return drained;
    const all = new Map(this.#crowded);
    this.#crowded.clear();
    for (const [index, number] of drained.numbers.entries()) all.set(number ^ SALT, drained.counts[index]!);
    const numbers = Int32Array.from(all.keys(), (key) => key ^ SALT).sort();
    return { numbers, counts: numbers.map((number) => all.get(number ^ SALT)!) };
  }

  /** The slot of a number, or the free one for it; null if all slots near it have other numbers. */
  #slotOf(number: number): number | null {
    const [numbers, counts] = [this.#numbers, this.#counts];
    const last = counts.length - 1;
    const first = (number ^ this.#sign) >>> this.#shift;
    for (let lookups = 0; lookups < MAX_LOOKUPS; lookups++) {
      const slot = (first + lookups) & last;
      if (counts[slot] === 0 || numbers[slot] === number) return slot;
    }
    return null;
  }

  #allocate(slotBits: number): void {
    this.#shift = this.#bits - slotBits;
    this.#numbers = new Int32Array(2 ** slotBits);
    this.#counts = new Int32Array(2 ** slotBits);
  }

  #grow(): void {
    const [numbers, counts] = [this.#numbers, this.#counts];
    const crowded = this.#crowded;
    this.#allocate(Math.log2(counts.length) + 1);
    this.#crowded = new Map();
    this.#size = 0;
    for (let i = 0; i < counts.length; i++) if (counts[i] !== 0) this.add(numbers[i]!, counts[i]!);
    for (const [key, count] of crowded) this.add(key ^ SALT, count);
  }
}

/** Sorts the first numbers, and their counts with them. */
function sortAlmostSorted(numbers: Int32Array, counts: Int32Array, size: number): void {
  for (let i = 1; i < size; i++) {
    const number = numbers[i]!;
    let place = i;
    if (numbers[place - 1]! < number) continue;
    const count = counts[i]!;
    for (; place > 0 && numbers[place - 1]! > number; place--) {
      numbers[place] = numbers[place - 1]!;
      counts[place] = counts[place - 1]!;
    }
    numbers[place] = number;
    counts[place] = count;
  }
}
