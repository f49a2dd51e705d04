import type { TeamTransaction } from '../../db/driver/database.ts';
import { findTeamUsage, type Usage } from '../../db/queries/jobs/usage.ts';
import { hasRight } from '../../shared/access.ts';
import { type DefaultQuota, type Quota, quotaInForce } from '../../shared/settings/team-settings.ts';

/** What the Team of the scope stores and can store; nothing without Full access. */
export async function readUsage(
  tx: TeamTransaction,
  defaults: DefaultQuota,
): Promise<{ usage: Usage; quota: Quota } | undefined> {
  if (!hasRight(tx.scope, 'readWorkload')) return undefined;
  const { usage, quota } = await findTeamUsage(tx);
  return { usage, quota: quotaInForce(quota, defaults) };
}
