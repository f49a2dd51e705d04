import { invalidField } from '../errors.ts';
import { foldName } from './names.ts';

/** The most tags of a record, and of a search. */
export const MAX_TAGS = 20;
/** The longest tag, in characters. */
export const MAX_TAG_LENGTH = 50;

/** Normalizes a tag, as names are compared: two tags that differ only in case are the same. */
export function normalizeTag(tag: string): string {
  return foldName(tag);
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
