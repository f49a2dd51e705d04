import { createHash, hash } from 'node:crypto';
import { foldCase } from '../formats/workspace-path.ts';
import { slicesOf, yieldBetweenSteps } from '../resources/async.ts';
import { hasTooManyMarks, MAX_NORMAL_LENGTH } from './bounds.ts';
import type { ChunkInput } from './prepared-chunks.ts';
import { isNormal } from './terms/fold.ts';

/**
 * The SHA-256 (32 bytes) of a content, to recognize the same content later. A separator between parts
 * and between chunks is hashed too. A document of one part has no separator, so its hash is that of its text. Places
 * are not hashed. Blocks the event loop for about 3 ms per MiB.
 */
export function contentHash(input: ChunkInput): Buffer {
  const hash = createHash('sha256');
  for (const slice of hashedSlices(input)) hash.update(slice, 'utf8');
  return hash.digest();
}

/**
 * Like `contentHash`; the event loop turns in between.
 * @param yieldIfDue of the caller, if this is one step of several
 */
export async function contentHashInTurns(
  input: ChunkInput,
  yieldIfDue = yieldBetweenSteps(),
): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const slice of hashedSlices(input)) {
    hash.update(slice, 'utf8');
    await yieldIfDue();
  }
  return hash.digest();
}

function* hashedSlices(input: ChunkInput): Generator<string> {
  for (const [index, text] of textsOf(input).entries()) {
    // A separator that no text contains, because NUL is refused in every text.
    if (index > 0) yield '\0';
    yield* slicesOf(text);
  }
}

function textsOf(input: ChunkInput): readonly string[] {
  if ('text' in input) return [input.text];
  return 'parts' in input ? input.parts.map(({ text }) => text) : input.chunks;
}

/** The length of `textHash`, in bytes. Enough that no two different texts have the same hash. */
const HASH_BYTES = 16;

const ASCII = /^[\0-\x7f]*$/;
/** White space that is not already a single space: most of it is, so this is faster than to replace all. */
const WHITE_SPACE = /[\s\u0085]{2,}|[^\S ]|\u0085/g;

/**
 * The hash by which equal chunks are recognized: two texts have the same one if they differ only in compatibility forms
 * (NFKC), case and white space. It is stored, so the result must never change. 16 bytes of SHA-256.
 */
export function textHash(text: string): Buffer {
  return hash('sha256', foldText(text), 'buffer').subarray(0, HASH_BYTES);
}

function foldText(text: string): string {
  // ASCII has no other forms.
  if (ASCII.test(text)) return text.toUpperCase().replace(WHITE_SPACE, ' ').trim();
  if (isNormal(text)) return foldCase(text).replace(WHITE_SPACE, ' ').trim();
  // A text with so many marks, or with so long a form, is no real text: it equals only itself.
  if (hasTooManyMarks(text)) return text;
  const composed = text.normalize('NFKC');
  if (composed.length > MAX_NORMAL_LENGTH) return text;
  return foldCase(composed).replace(WHITE_SPACE, ' ').trim();
}
