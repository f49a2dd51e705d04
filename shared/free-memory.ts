/**
 * Frees the memory of bytes that nobody reads any more, with whatever else lies in the same buffer. V8 would let many MiB
 * of them pile up before it collects them.
 */
export function freeMemory(bytes: Uint8Array): void {
  // A buffer of another length, here of none, takes over: this one is detached.
  (bytes.buffer as ArrayBuffer).transfer(0);
}
