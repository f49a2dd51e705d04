import type { TeamTransaction } from '../../db/driver/database.ts';
import { call } from '../../db/queries/call.ts';
import { ServiceError } from '../../shared/errors.ts';

/** What an agent token without `memory:review` can archive and withdraw in the time window. */
const MAX_FORGOTTEN = 20;
const WINDOW_SECONDS = 60 * 60;

/**
 * Refuses to archive a source or to withdraw a memory if an agent token without `memory:review` has done it too often. An
 * agent that was misled by a text can so destroy only little before a person sees it. What the transaction records counts
 * if it is committed. Lock what is archived or withdrawn before.
 * @throws ServiceError `rate_limited`
 */
export async function limitForgetting(tx: TeamTransaction): Promise<void> {
  const { tokenId, tokenPermissions } = tx.scope;
  if (tokenId === null || tokenPermissions?.includes('memory:review') === true) return;
  const resetSeconds = await call(tx, 'memory.seconds_until_forget', MAX_FORGOTTEN, WINDOW_SECONDS);
  if (resetSeconds === 0) return;
  throw new ServiceError(
    'rate_limited',
    `An agent token without the permission memory:review can archive and withdraw ${MAX_FORGOTTEN} items in ` +
      `${WINDOW_SECONDS / 60} minutes; wait ${Math.ceil(resetSeconds / 60)} minutes, or ask a person to do it`,
    { limit: { max: MAX_FORGOTTEN, resetSeconds } },
  );
}
