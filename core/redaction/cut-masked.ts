import { MAX_TAG_LENGTH, normalizeTag } from '../../shared/formats/tags.ts';
import { runAtOnce } from '../../shared/resources/yield-between-steps.ts';
import { MAX_NAME, MAX_REASON } from '../../shared/schemas/common.ts';
import { MAX_SUMMARY } from '../../shared/schemas/consolidation.ts';
import { MAX_FEEDBACK_NOTE } from '../../shared/schemas/feedback.ts';
import { MAX_CONTENT } from '../../shared/schemas/library.ts';
import { MAX_CHUNK, MAX_QUERY, MAX_URI } from '../../shared/schemas/memory.ts';
import { masksIn } from '../../shared/secrets/find-matches.ts';
import { cutCharacters } from '../../shared/text/characters.ts';

/*
 * A mask can be longer than the credential that it replaces, so a text within its bound can exceed it when it is masked.
 * The request is valid all the same, because the bounds apply to the text that was given. The stored text is cut.
 */

/**
 * Cuts a masked text to a number of characters. A mask that would be cut in two is left out, because its beginning could
 * count as a credential when the text is checked again.
 * @yields after each step of some milliseconds at most
 */
export function* cutMaskedInSteps(text: string, most: number): Generator<undefined, string> {
  const kept = cutCharacters(text, most);
  if (kept.length === text.length) return text;
  for (const mask of masksIn(text)) {
    if (mask === undefined) {
      yield;
      continue;
    }
    const { start, end } = mask;
    if (start >= kept.length) break;
    if (end <= kept.length) continue;
    const before = kept.slice(0, start);
    // A required text must not become blank. A mask by itself is shorter than every bound.
    return before.trim() === '' ? text.slice(start, end) : before;
  }
  return kept;
}

/** Cuts a short masked text at once. */
export function cutMasked(text: string, most: number): string {
  return runAtOnce(cutMaskedInSteps(text, most));
}

type Cut = (masked: string) => Generator<undefined, string>;

/** How the texts of fields are cut, by the names of the fields. A field that is not listed has no bound of its own. */
export interface Bounds {
  readonly [field: string]: Cut | Bounds;
}

const toAtMost =
  (most: number): Cut =>
  (masked) =>
    cutMaskedInSteps(masked, most);

/** The bound of a field. */
export function boundOf(bounds: Bounds, field: string | number): Cut | Bounds | undefined {
  // A field of metadata can have the name of a method.
  return Object.hasOwn(bounds, field) ? bounds[field] : undefined;
}

/** Of the fields of requests. `maskedId` cuts ids. */
export const BOUNDS: Bounds = {
  title: toAtMost(MAX_NAME),
  filename: toAtMost(MAX_NAME),
  uri: toAtMost(MAX_URI),
  // It becomes the uri of a source.
  path: toAtMost(MAX_URI),
  summary: toAtMost(MAX_SUMMARY),
  content: toAtMost(MAX_CONTENT),
  note: toAtMost(MAX_FEEDBACK_NOTE),
  reason: toAtMost(MAX_REASON),
  query: toAtMost(MAX_QUERY),
  // In lower case, a tag can be longer.
  tags: (masked) => cutMaskedInSteps(normalizeTag(masked), MAX_TAG_LENGTH),
  chunks: { text: toAtMost(MAX_CHUNK) },
  // Its fields can have the same names.
  metadata: {},
};
