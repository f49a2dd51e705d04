import type { TeamTransaction } from '../../db/driver/database.ts';
import { findTeamUsage } from '../../db/queries/jobs/usage.ts';
import { ServiceError } from '../../shared/errors.ts';
import { readsTeamFigures } from '../../shared/scope.ts';
import { type DefaultQuota, type Quota, quotaInForce } from '../../shared/settings/team-settings.ts';

/** Whether an error is the refusal of `assertWithinQuota`. */
export const isQuotaExceeded = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'quota_exceeded';

/**
 * The word for each figure, and what frees space. What is archived has no passages, but its bytes are kept until it can no
 * longer be restored.
 */
const FIGURES = {
  chunks: { word: 'passages', remedy: 'Archive or purge what is no longer needed' },
  bytes: { word: 'bytes', remedy: 'Purge what is no longer needed' },
} as const;

const isUnlimited = ({ chunks, bytes }: Quota) => chunks === null && bytes === null;

/**
 * Refuses a transaction that has added to what its Team stores, if the Team is over its quota now. Call it last, so that it
 * counts all that was written. What other transactions write at the same time is not counted: each of them can exceed the
 * quota by what it adds itself.
 * @param defaults the quota of a Team that has none of its own
 * @throws ServiceError `quota_exceeded`
 */
export async function assertWithinQuota(tx: TeamTransaction, defaults: DefaultQuota): Promise<void> {
  const known = tx.scope.quota;
  // The quota as of the beginning of the request: most Teams have none, and then nothing is read.
  if (known !== undefined && isUnlimited(quotaInForce(known, defaults))) return;
  const { usage, added, quota } = await findTeamUsage(tx);
  const limits = quotaInForce(quota, defaults);
  for (const figure of ['chunks', 'bytes'] as const) {
    const limit = limits[figure];
    if (limit === null || added[figure] <= 0 || usage[figure] <= limit) continue;
    const more = added[figure];
    const { word, remedy } = FIGURES[figure];
    // How much the whole Team stores is shown to the same callers as in readUsage.
    const refusal = readsTeamFigures(tx.scope)
      ? `The Team uses ${usage[figure] - more} of ${limit} ${word}, and this would add ${more}`
      : `The Team has reached its quota of ${word}, and this would add ${more}`;
    throw new ServiceError(
      'quota_exceeded',
      `${refusal}. ${remedy}, or ask an Owner of the Company for a higher quota`,
    );
  }
}
