/** A vector as clients send it in base64: little-endian float32 numbers. */
export function base64Of(vector: Iterable<number>): string {
  const values = [...vector];
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, 4 * index);
  return bytes.toString('base64');
}
