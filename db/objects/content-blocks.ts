import { createHash } from 'node:crypto';
import { ObjectFault } from './object-fault.ts';

/** Parts of an object are verified in blocks of this size. */
export const BLOCK_BYTES = 1024 * 1024;

/** The length of a SHA-256 in hexadecimal. */
const HASH_CHARACTERS = 64;

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The SHA-256 of each block of a content, in hexadecimal, one after another. */
export function blockHashes(content: Uint8Array): string {
  const hashes: string[] = [];
  for (let at = 0; at < content.length; at += BLOCK_BYTES) {
    hashes.push(hashOf(content.subarray(at, at + BLOCK_BYTES)));
  }
  return hashes.join('');
}

/**
 * Asserts that bytes are a whole content.
 * @throws ObjectFault `damaged`
 */
export function assertContent(
  content: Uint8Array,
  { sha256, bytes }: { sha256: string; bytes: number },
): void {
  if (content.length !== bytes || hashOf(content) !== sha256) {
    throw new ObjectFault('damaged', `the bytes of the content ${sha256} are not those that were stored`);
  }
}

/**
 * Asserts that bytes are blocks of a content.
 * @param first the place of the first block in the content, from 0
 * @throws ObjectFault `damaged`
 */
export function assertBlocks(
  part: Uint8Array,
  first: number,
  { sha256, blocks }: { sha256: string; blocks: string },
): void {
  const start = first * HASH_CHARACTERS;
  const hashes = blockHashes(part);
  if (hashes !== blocks.slice(start, start + hashes.length)) {
    throw new ObjectFault('damaged', `a part of the content ${sha256} is not what was stored`);
  }
}
