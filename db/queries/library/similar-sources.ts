import type { SimilarSource, Source } from '../../../shared/schemas/memory.ts';
import { similarity, type TextSketch } from '../../../shared/text/terms/sketch.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { int4ArrayBinary } from '../../driver/wire-format.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';

/** Texts that are less similar are not near duplicates. */
const MIN_SIMILARITY = 0.8;
/** As many as a person reads. */
const MAX_SIMILAR = 5;
/** Of a letter that was stored a thousand times with other names, only so many copies are compared. */
const MAX_COMPARED = 200;

/** A source that can be a near duplicate. */
interface Candidate {
  sourceId: string;
  signature: Buffer;
  /** The signature of the source that it is compared with. */
  own: Buffer;
}

/**
 * Stores the sketch of an active source, and finds its near duplicates: active sources of the same layer, the most similar
 * first, at most five.
 * @param sketch null: the source has its sketch already. One that was stored before there were sketches has none, and no
 *   near duplicates
 */
export async function sketchSource(
  tx: TeamTransaction,
  { id, clientId: layerId }: Pick<Source, 'id' | 'clientId'>,
  sketch: TextSketch | null,
): Promise<SimilarSource[]> {
  const candidates = await tx.query<Candidate>(
    'select source_id as "sourceId", signature, own from memory.sketch_source($1, $2, $3::int[], $4, $5)',
    [
      layerId,
      id,
      sketch === null ? null : int4ArrayBinary(sketch.bands),
      sketch === null ? null : sketch.signature,
      MAX_COMPARED,
    ],
  );
  const shares = new Map(
    candidates
      .map(({ sourceId, signature, own }) => [sourceId, rounded(similarity(signature, own))] as const)
      .filter(([, share]) => share >= MIN_SIMILARITY),
  );
  // Most texts have none: then the second statement is not needed.
  if (shares.size === 0) return [];
  const sources = await lockActive(tx, [...shares.keys()]);
  return sources
    .map((source) => ({ ...source, similarity: shares.get(source.sourceId) ?? 0 }))
    .sort((a, b) => b.similarity - a.similarity || (a.sourceId < b.sourceId ? 1 : -1))
    .slice(0, MAX_SIMILAR);
}

/** Returns those of these sources that are active, with their titles, and locks them until the transaction ends. */
function lockActive(
  tx: TeamTransaction,
  ids: readonly string[],
): Promise<Pick<SimilarSource, 'sourceId' | 'title'>[]> {
  return tx.query(
    `select s.id as "sourceId", s.title from memory.source s
      where ${inScope('s')} and s.id = any ($4::uuid[]) and ${isActive('s')}
        -- A request that purges one waits for this transaction, because the answer with its title is stored. One that
        -- another transaction changes now is left out: two that change each other's would wait for ever.
        for key share skip locked`,
    [...scopeValues(tx.scope), ids],
  );
}

/** Two decimals: the estimate is not more exact. */
const rounded = (share: number) => Math.round(share * 100) / 100;
