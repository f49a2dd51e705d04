import type { Batch, ConsolidationResult } from '../../shared/schemas/consolidation.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { TeamTransaction } from '../driver/database.ts';
import { inScope, type ListPart, scopeValues, wireTime } from './common.ts';
import { queryList } from './query-list.ts';

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

/** The times of a batch in the database. */
interface Times {
  createdAt: Date;
  expiresAt: Date;
}

function wireTimes({ createdAt, expiresAt }: Times): Pick<Batch, keyof Times> {
  return { createdAt: wireTime(createdAt), expiresAt: wireTime(expiresAt) };
}

/**
 * Lists batches of the scope's user that can still be completed, newest first. A batch has only the captures within the
 * scope. It is not listed if it has none: nothing of a layer that the user cannot read is shown.
 */
export async function listOpenBatches(tx: TeamTransaction, part: ListPart): Promise<Batch[]> {
  const rows = await queryList<Pick<Batch, 'id' | 'captureIds'> & Times>(
    tx,
    part,
    `select b.id, array_agg(c.id order by c.id) as "captureIds", b.created_at as "createdAt", b.expires_at as "expiresAt"
       from memory.consolidation_batch b
       join memory.capture c on c.team_id = b.team_id and c.batch_id = b.id
      where ${inScope('c')} and b.team_id = $1 and b.user_id = $3 and b.results is null and b.expires_at > now()
        and ($after::uuid is null or b.id < $after)
      group by b.team_id, b.id order by b.id desc limit $limit`,
    {},
    [...scopeValues(tx.scope), tx.scope.userId],
  );
  return rows.map(({ id, captureIds, ...times }) => ({ id, captureIds, ...wireTimes(times) }));
}

/** A capture that a batch holds. */
export interface HeldCapture {
  id: string;
  layerId: LayerId;
}

/**
 * Locks the captures that a batch of the scope's user still holds, oldest first: in every layer, also where the user has
 * lost access.
 */
export async function lockHeldCaptures(tx: TeamTransaction, batchId: string): Promise<HeldCapture[]> {
  return tx.query<HeldCapture>(
    'select id, layer_id as "layerId" from memory.lock_held_captures($1) order by id',
    [batchId],
  );
}

/** Ends the lease of a batch, and changes the captures that it holds back to staged. Returns its times. */
export async function releaseConsolidationBatch(
  tx: TeamTransaction,
  id: string,
): Promise<Pick<Batch, keyof Times>> {
  const [row] = await tx.query<Times>(
    `update memory.consolidation_batch set expires_at = now()
      where team_id = $1 and user_id = $2 and id = $3
      returning created_at as "createdAt", expires_at as "expiresAt"`,
    [tx.scope.teamId, tx.scope.userId, id],
  );
  if (row === undefined) throw new Error('the batch was not released');
  await tx.query('select memory.return_captures($1)', [id]);
  return wireTimes(row);
}
