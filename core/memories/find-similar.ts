import { readOnce } from '../../db/driver/database.ts';
import { findSimilarMemories } from '../../db/queries/memory/similar-memories.ts';
import type { SimilarMemory } from '../../shared/schemas/library.ts';
import type { LayerId, TeamScope } from '../../shared/scope.ts';
import { comparedTerms } from '../../shared/text/memory-content.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Finds the published memories of a layer that are similar to a text by their words, the most similar first, at most
 * three.
 * @param signal of the request: the text is not compared after it is closed
 */
export async function findSimilar(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { text, layerId }: { text: string; layerId: LayerId },
  signal: AbortSignal,
): Promise<SimilarMemory[]> {
  const terms = await comparedTerms(scope.teamId, text, signal);
  const compared = { layerId, terms, embedding: null, model: config.embeddingModel };
  return readOnce(database, scope, (tx) => findSimilarMemories(tx, compared));
}
