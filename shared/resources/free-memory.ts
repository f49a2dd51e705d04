/**
 * Frees the whole buffer of these bytes at once. They cannot be read afterwards. V8 collects such buffers late, and many
 * MiB of them would pile up.
 */
export function freeMemory(bytes: Uint8Array): void {
  // Moves nothing to a new buffer, and detaches this one.
  (bytes.buffer as ArrayBuffer).transfer(0);
}

/** Frees the buffer of these bytes, as above, where they are all of it. Node lets small ones share a buffer. */
export function freeUnshared(bytes: Uint8Array): void {
  if (bytes.byteLength === bytes.buffer.byteLength) freeMemory(bytes);
}
