/**
 * Frees the whole buffer of these bytes at once. They cannot be read afterwards. V8 collects such buffers late, and many
 * MiB of them would pile up.
 */
export function freeMemory(bytes: Uint8Array): void {
  // Moves nothing to a new buffer, and detaches this one.
  (bytes.buffer as ArrayBuffer).transfer(0);
}
