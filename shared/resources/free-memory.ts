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
