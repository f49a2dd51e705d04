import type { TeamTransaction, WorkerTransaction } from '../driver/database.ts';
import { FAILED_PASSWORD_SECONDS } from './accounts/sessions.ts';

/** How many records of each kind `prune` deleted, in all Teams. */
export type Pruned = Record<
  | 'answers'
  | 'loadingSources'
  | 'batches'
  | 'consolidationBatches'
  | 'sessions'
  | 'resetLinks'
  | 'invites'
  | 'mails'
  | 'tokenSecrets',
  number
>;

/**
 * Deletes records that are no longer needed, in all Teams: stored answers, abandoned sources, batches, sessions, reset
 * links, invites, mails and ended secrets of agent tokens.
 * @param limits the limits of sessions, in seconds
 */
export async function prune(
  tx: WorkerTransaction,
  limits: { sessionIdleSeconds: number; sessionMaxSeconds: number },
): Promise<Pruned> {
  const [row] = await tx.query<Pruned>(
    `select m.answers, m.loading_sources as "loadingSources", m.batches, i.sessions, i.reset_links as "resetLinks", i.token_secrets as "tokenSecrets",
            identity.prune_invites($3) as invites, identity.prune_mails() as mails, memory.prune_consolidation_batches() as "consolidationBatches"
       from memory.prune() m, identity.prune($1, $2) i`,
    [limits.sessionIdleSeconds, limits.sessionMaxSeconds, FAILED_PASSWORD_SECONDS],
  );
  if (row === undefined) throw new Error('prune returned no row');
  return row;
}

/** An Idempotency-Key. With the caller and the Team of the scope, it identifies one request. */
export interface AnswerKey {
  route: string;
  keyHash: Buffer;
  bodyHash: Buffer;
}

export interface StoredAnswer {
  bodyHash: Buffer;
  status: number;
  /** Null: what the request stored was purged. */
  response: unknown;
}

/** Finds the answer that was stored for the key in the last 24 hours, or null. */
export async function findAnswer(tx: TeamTransaction, key: AnswerKey): Promise<StoredAnswer | null> {
  const [row] = await tx.query<StoredAnswer>(
    `select body_hash as "bodyHash", status, response from memory.idempotency_key
      where team_id = $1 and user_id = $2 and route = $3 and key_hash = $4
        and created_at > now() - interval '24 hours'`,
    [tx.scope.teamId, tx.scope.userId, key.route, key.keyHash],
  );
  return row ?? null;
}

/** Locks the key until the transaction ends. False: another request with this key is running. */
export async function lockAnswer(tx: TeamTransaction, key: AnswerKey): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended($1 || encode($2::bytea, 'hex'), 1)) as locked`,
    [`${tx.scope.teamId} ${tx.scope.userId} ${key.route} `, key.keyHash],
  );
  return row?.locked === true;
}

/** Stores an answer. Replaces an answer that is older than 24 hours. */
export async function insertAnswer(tx: TeamTransaction, key: AnswerKey, answer: StoredAnswer): Promise<void> {
  const values = [tx.scope.teamId, tx.scope.userId, key.route, key.keyHash];
  await tx.query(
    'delete from memory.idempotency_key where team_id = $1 and user_id = $2 and route = $3 and key_hash = $4',
    values,
  );
  await tx.query(
    `insert into memory.idempotency_key (team_id, user_id, route, key_hash, body_hash, status, response)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [...values, answer.bodyHash, answer.status, JSON.stringify(answer.response)],
  );
}
