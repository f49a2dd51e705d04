import type { ConsolidationResult } from '../../../shared/schemas/consolidation.ts';
import type { LayerId } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';

/** What the accepted complete request did. */
export interface Completion {
  requestHash: Buffer;
  results: ConsolidationResult[];
  /** The layers that it wrote to. */
  layers: LayerId[];
}

/** A batch of the scope's user. */
export interface LockedBatch {
  captureIds: string[];
  expired: boolean;
  completion: Completion | null;
}

/** Locks a batch of the scope's user until the transaction ends; null if it does not exist. */
export async function lockConsolidationBatch(tx: TeamTransaction, id: string): Promise<LockedBatch | null> {
  const [row] = await tx.query<
    { captureIds: string[]; expired: boolean } & { [Field in keyof Completion]: Completion[Field] | null }
  >(
    `select capture_ids as "captureIds", expires_at <= clock_timestamp() as expired,
            request_hash as "requestHash", results, layers
       from memory.consolidation_batch where team_id = $1 and user_id = $2 and id = $3 for update`,
    [tx.scope.teamId, tx.scope.userId, id],
  );
  if (row === undefined) return null;
  const { captureIds, expired, requestHash, results, layers } = row;
  const completed = requestHash !== null && results !== null && layers !== null;
  return { captureIds, expired, completion: completed ? { requestHash, results, layers } : null };
}

/** Stores what a complete request did, so that a repeated request gets the same answer. */
export async function closeConsolidationBatch(
  tx: TeamTransaction,
  id: string,
  completion: Completion,
): Promise<void> {
  await tx.query(
    `update memory.consolidation_batch set request_hash = $4, results = $5, layers = $6
      where team_id = $1 and user_id = $2 and id = $3`,
    [
      tx.scope.teamId,
      tx.scope.userId,
      id,
      completion.requestHash,
      JSON.stringify(completion.results),
      completion.layers,
    ],
  );
}
