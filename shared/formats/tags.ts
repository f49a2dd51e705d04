import { invalidField } from '../errors.ts';
import { foldCase } from './workspace-path.ts';

/** The most tags of a record, and of a search. */
export const MAX_TAGS = 20;
/** The longest tag, in characters. */
export const MAX_TAG_LENGTH = 50;

/**
 * Normalizes a tag: without white space around it, in NFC and in lower case. Two tags that differ only in case are the
 * same. Letter by letter, because Σ has two lower cases, which depend on the letters around it.
 */
export function normalizeTag(tag: string): string {
  const letters = Array.from(foldCase(tag.trim().normalize('NFC')), (letter) => letter.toLowerCase());
  return letters.join('').normalize('NFC');
}

/**
 * Normalizes the tags of a request, in their order and each of them once.
 * @param path JSON pointer of the tags
 * @throws ServiceError `invalid_request` for a tag that is too long once it is normalized: ß becomes ss
 */
export function parseTags(tags: readonly string[], path = '/tags'): string[] {
  return [...new Set(tags.map((tag, index) => parseTag(tag, `${path}/${index}`)))];
}

/**
 * Normalizes one tag of a request.
 * @param path JSON pointer of the tag
 * @throws ServiceError `invalid_request`
 */
export function parseTag(tag: string, path: string): string {
  const normal = normalizeTag(tag);
  // By characters, not by UTF-16 code units.
  if (Array.from(normal).length > MAX_TAG_LENGTH) {
    throw invalidField(path, `must have 1 to ${MAX_TAG_LENGTH} characters in lower case`);
  }
  return normal;
}
