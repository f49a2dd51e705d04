import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Frees the whole buffer of these bytes immediately. They cannot be read afterwards. Without it, many MiB of unused
 * buffers accumulate, because V8 collects them late.
 */
export function freeMemory(bytes: Uint8Array): void {
  // Creates a new buffer of length 0, and detaches this one.
  (bytes.buffer as ArrayBuffer).transfer(0);
}

/** Like `freeMemory`, but only if the bytes are the whole buffer. In Node, small Buffers share one. */
export function freeUnshared(bytes: Uint8Array): void {
  if (bytes.byteLength === bytes.buffer.byteLength) freeMemory(bytes);
}

/** What distinguishes a process from all others that have or had its pid. */
export interface ProcessIdentity {
  /** Changes when the system restarts. */
  boot: string;
  /** The pid namespace. Containers count their processes separately: every main process of a container has pid 1. */
  namespace: string;
  /** When the process started, in clock ticks since the boot. */
  start: string;
}

/** Identifies a process of this pid namespace. Returns null if no such process is running, or not on Linux. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses can contain anything. After it come the state, 18 more fields, and the start time.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = rest[18];
    // Z and X: the process has ended.
    if (state === 'Z' || state === 'X' || start === undefined) return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { boot, namespace: readlinkSync('/proc/self/ns/pid'), start };
  } catch {
    return null;
  }
}

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
