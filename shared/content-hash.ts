import { createHash } from 'node:crypto';
import type { ChunkInput } from './prepared-chunks.ts';

/** The SHA-256 (32 bytes) by which the same text is known again. Given chunks count as one text. */
export function contentHash(input: ChunkInput): Buffer {
  const text = 'text' in input ? input.text : input.chunks.join('\n\n');
  return createHash('sha256').update(text, 'utf8').digest();
}
