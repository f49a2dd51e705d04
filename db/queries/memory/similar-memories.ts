import type { SimilarMemory } from '../../../shared/schemas/library.ts';
import type { LayerId } from '../../../shared/scope.ts';
import type { ChunkTerms } from '../../../shared/text/terms/chunk-terms.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { halfvecBinary, int4ArrayBinary } from '../../driver/wire-format.ts';
import { stateNow } from '../fragments/expiry.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';

/** A text to compare with published memories: its terms, and its vector if it has one. */
export interface ComparedText {
  layerId: LayerId;
  terms: ChunkTerms;
  /** Of unit length and of the service's model. */
  embedding: Float32Array | null;
  model: string;
}

/** As many as a person reads. */
const LIMIT = 3;

type Row = SimilarMemory;
const EXCERPT = `left(m.content, 1000) as excerpt`;

/** Finds the published memories of the text's layer that are similar to it, the most similar first, at most three. */
export async function findSimilarMemories(
  tx: TeamTransaction,
  { layerId, terms, embedding, model }: ComparedText,
): Promise<SimilarMemory[]> {
  return tx.query<Row>(
    `select m.id as "memoryId", m.title, ${EXCERPT}, n.similarity, n.basis
       from memory.similar_memories($3, $4::halfvec, $5, $6::int[], $7::real[], $8::int[], $9, null) n
       join memory.memory_item m on m.id = n.memory_id
      where ${inScope('m')} and ${stateNow('m')} = 'published'
      order by n.similarity desc, m.id desc`,
    [
      ...scopeValues(tx.scope),
      layerId,
      embedding === null ? null : halfvecBinary(embedding),
      model,
      int4ArrayBinary(terms.dims),
      Array.from(terms.weights),
      int4ArrayBinary(terms.keys),
      LIMIT,
    ],
  );
}

/**
 * Finds the memories that are similar to a memory in review, by its stored terms and vector: at most three that are
 * published, and three that are in review too. The most similar first.
 */
export async function findSimilarToReview(
  tx: TeamTransaction,
  memoryId: string,
  model: string,
): Promise<SimilarMemory[]> {
  return tx.query<Row>(
    `select m.id as "memoryId", m.state, m.title, ${EXCERPT}, n.similarity, n.basis
       from memory.memory_item r
       cross join lateral (
         select array_agg(split_part(entry, ':', 1)::int) as dims,
                array_agg(split_part(entry, ':', 2)::real) as weights
           from string_to_table(substr(split_part(r.weights::text, '}', 1), 2), ',') as entry
          where entry <> '') t
       cross join lateral memory.similar_memories(r.layer_id,
         case when r.embedding_model = $4 then r.embedding end, $4, t.dims, t.weights, r.keys, $5, r.id) n
       join memory.memory_item m on m.team_id = r.team_id and m.id = n.memory_id
      where ${inScope('r')} and r.id = $3 and r.state = 'review' and ${inScope('m')}
        and ${stateNow('m')} in ('published', 'review')
      order by n.similarity desc, m.id desc`,
    [...scopeValues(tx.scope), memoryId, model, LIMIT],
  );
}

/** Returns which of these memories the scope can read: those that are published and, with `readsAll`, in any state. */
export async function findReadableMemories(
  tx: TeamTransaction,
  ids: readonly string[],
  readsAll: boolean,
): Promise<ReadonlySet<string>> {
  const found = await tx.query<{ id: string }>(
    `select m.id from memory.memory_item m
      where ${inScope('m')} and m.id = any ($3::uuid[]) and ($4 or ${stateNow('m')} = 'published')`,
    [...scopeValues(tx.scope), ids, readsAll],
  );
  return new Set(found.map(({ id }) => id));
}
