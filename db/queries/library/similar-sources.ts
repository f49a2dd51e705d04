import type { SimilarSource } from '../../../shared/schemas/memory.ts';
import type { LayerId } from '../../../shared/scope.ts';
import { similarity, type TextSketch } from '../../../shared/text/terms/sketch.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { int4ArrayBinary } from '../../driver/wire-format.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';

/** Texts that are less similar are not near duplicates. */
export const MIN_SIMILARITY = 0.75;
/** As many as a person reads. */
const MAX_SIMILAR = 5;
/** The signatures of so many sources are compared: those with the most bands in common. */
const MAX_COMPARED = 200;

/** A source that can be a near duplicate. */
interface Candidate {
  sourceId: string;
  signature: Buffer;
  /** The signature of the source that it is compared with. */
  own: Buffer;
}

interface Sketched {
  id: string;
  layerId: LayerId;
}

/** Stores the sketch of an active source, so that it is found as a near duplicate of other sources. */
export async function insertSketch(tx: TeamTransaction, source: Sketched, sketch: TextSketch): Promise<void> {
  await sketchSource(tx, source, sketch, 0);
}

/**
 * Stores the sketch of an active source, and finds its near duplicates: active sources of the same layer, the most similar
 * first, at most five.
 * @param sketch null to compare the stored sketch. A source without a stored sketch has no near duplicates
 */
export async function findNearDuplicates(
  tx: TeamTransaction,
  source: Sketched,
  sketch: TextSketch | null,
): Promise<SimilarSource[]> {
  const candidates = await sketchSource(tx, source, sketch, MAX_COMPARED);
  const shares = new Map(
    candidates
      .map(({ sourceId, signature, own }) => [sourceId, rounded(similarity(signature, own))] as const)
      .filter(([, share]) => share >= MIN_SIMILARITY),
  );
  // Most texts have none: then the second statement is not needed.
  if (shares.size === 0) return [];
  const sources = await lockSimilarSources(tx, [...shares.keys()]);
  return sources
    .map((source) => ({ ...source, similarity: shares.get(source.sourceId) ?? 0 }))
    .sort((a, b) => b.similarity - a.similarity || (a.sourceId < b.sourceId ? 1 : -1))
    .slice(0, MAX_SIMILAR);
}

/** Stores a sketch that is not null, and returns at most `limit` sources that can be near duplicates. */
function sketchSource(
  tx: TeamTransaction,
  { id, layerId }: Sketched,
  sketch: TextSketch | null,
  limit: number,
): Promise<Candidate[]> {
  return tx.query<Candidate>(
    'select source_id as "sourceId", signature, own from memory.sketch_source($1, $2, $3::int[], $4, $5)',
    [layerId, id, sketch && int4ArrayBinary(sketch.bands), sketch && sketch.signature, limit],
  );
}

/** Returns those of these sources that are active, with their titles, and locks them until the transaction ends. */
function lockSimilarSources(
  tx: TeamTransaction,
  ids: readonly string[],
): Promise<Pick<SimilarSource, 'sourceId' | 'title'>[]> {
  return tx.query(
    `select s.id as "sourceId", s.title from memory.source s
      where ${inScope('s')} and s.id = any ($3::uuid[]) and ${isActive('s')}
        -- The answer with their titles is stored. The lock makes a purge wait until then, so that it deletes the answer.
        -- A source that another transaction has locked is skipped. To wait for it could be a deadlock.
        for key share skip locked`,
    [...scopeValues(tx.scope), ids],
  );
}

/** Two decimals: the estimate is not more exact. */
const rounded = (share: number) => Math.round(share * 100) / 100;
