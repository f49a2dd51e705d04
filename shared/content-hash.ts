import { createHash } from 'node:crypto';
import type { ChunkInput } from './prepared-chunks.ts';

/** The SHA-256 (32 bytes) by which the same text is known again. Parts and chunks count with where each ends. */
export function contentHash(input: ChunkInput): Buffer {
  const parts = textsOf(input);
  const hash = createHash('sha256').update(parts[0] ?? '', 'utf8');
  // NUL is refused in every text, so it cannot stand within one.
  for (const part of parts.slice(1)) hash.update('\0').update(part, 'utf8');
  return hash.digest();
}

function textsOf(input: ChunkInput): readonly string[] {
  if ('text' in input) return [input.text];
  return 'parts' in input ? input.parts.map(({ text }) => text) : input.chunks;
}
