import type { SimilarMemory } from '../../../shared/schemas/library.ts';
import { cutToJson } from '../tokens.ts';

/** The most tokens of the title and of the text of a similar memory. */
const MAX_TITLE = 400;
const MAX_EXCERPT = 200;

/** A similar memory as answers show it. */
export function toShown(memory: SimilarMemory): SimilarMemory {
  const { title, excerpt } = memory;
  return { ...memory, title: cutToJson(title, MAX_TITLE), excerpt: cutToJson(excerpt, MAX_EXCERPT) };
}
