import type { SimilarMemory } from '../../../shared/schemas/library.ts';
import { cutToJson } from '../../../shared/text/json-characters.ts';

/** Of the text of a similar memory, in JSON. */
const MAX_EXCERPT = 400;

/** A similar memory as answers show it. */
export function toShown(memory: SimilarMemory): SimilarMemory {
  return { ...memory, excerpt: cutToJson(memory.excerpt, MAX_EXCERPT) };
}
