import type { TeamTransaction } from '../../driver/database.ts';
import { wireTime } from '../fragments/layers.ts';
import type { Keeping } from './kept-sources.ts';

/** Returns until when a source that this transaction has archived can be restored. Null: it cannot be. */
export async function findRestorableUntil(
  tx: TeamTransaction,
  sourceId: string,
  { archiveDays }: Pick<Keeping, 'archiveDays'>,
): Promise<string | null> {
  if (archiveDays === 0) return null;
  const [row] = await tx.query<{ until: Date }>(
    `select least(now() + make_interval(days => $3), s.expires_at) as until
       from memory.source s where s.team_id = $1 and s.id = $2`,
    [tx.scope.teamId, sourceId, archiveDays],
  );
  return row === undefined ? null : wireTime(row.until);
}

/**
 * Whether a discarded memory was withdrawn by the credential of the scope: by its agent token, or by the person or one of
 * their tokens.
 */
export async function isOwnWithdrawal(tx: TeamTransaction, memoryId: string): Promise<boolean> {
  const [last] = await tx.query<{ own: boolean }>(
    `select e.detail @> '{"withdrawn": true}' and e.actor_id = $3 and ($4::uuid is null or e.token_id = $4) as own
       from memory.audit_event e
      where e.company_id = $1 and e.subject_id = $2 and e.kind = 'memory.discard'
      order by e.id desc limit 1`,
    [tx.scope.companyId, memoryId, tx.scope.userId, tx.scope.tokenId],
  );
  return last?.own === true;
}
