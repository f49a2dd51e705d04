import type { TeamTransaction } from '../../db/driver/database.ts';
import { selectNeighbours } from '../../db/queries/search/neighbours.ts';
import type { ChunkQuery } from '../../db/queries/search/search.ts';
import { invalidField } from '../../shared/errors.ts';
import { DEFAULT_TOP_K, type Hit, MAX_TOP_K, type SearchRequest } from '../../shared/schemas/memory.ts';
import { addNeighbours, fillWithHits } from './fill-budgets.ts';

/** What an answer contains besides the best chunks. */
export interface AnswerShape extends Required<Pick<ChunkQuery, 'topK' | 'bySource'>> {
  /** How many chunks to return before and after each hit. */
  neighbours: number;
  /** The most characters of all texts of the answer. Infinity without a limit. */
  maxCharacters: number;
}

/**
 * Parses the fields of a search that shape its answer.
 * @throws ServiceError `invalid_request`
 */
export function parseShape(body: SearchRequest): AnswerShape {
  const { topK, maxCharacters, neighbours = 0, group } = body;
  if (topK !== undefined && maxCharacters !== undefined) {
    throw invalidField('/maxCharacters', 'cannot be combined with topK');
  }
  return {
    topK: topK ?? (maxCharacters === undefined ? DEFAULT_TOP_K : MAX_TOP_K),
    bySource: group === 'source',
    neighbours,
    maxCharacters: maxCharacters ?? Number.POSITIVE_INFINITY,
  };
}

/** Limits hits to the characters of the answer, and adds their neighbours, which take one more statement. */
export async function shapeHits(
  tx: TeamTransaction,
  found: readonly Hit[],
  { neighbours, maxCharacters }: AnswerShape,
): Promise<Hit[]> {
  const filled = fillWithHits(found, maxCharacters);
  if (neighbours === 0) return filled.hits;
  const ids = filled.hits.map((hit) => hit.chunk_id);
  const nearby = ids.length === 0 || filled.room === 0 ? [] : await selectNeighbours(tx, ids, neighbours);
  return addNeighbours(filled, nearby, neighbours);
}
