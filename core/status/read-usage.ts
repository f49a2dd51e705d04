import type { TeamTransaction } from '../../db/driver/database.ts';
import { findTeamUsage, type Usage } from '../../db/queries/jobs/usage.ts';
import { readsTeamFigures } from '../../shared/scope.ts';
import { type DefaultQuota, type Quota, quotaInForce } from '../../shared/settings/team-settings.ts';

/** What the Team of the scope stores and can store; nothing for callers who see no figures of the whole Team. */
export async function readUsage(
  tx: TeamTransaction,
  defaults: DefaultQuota,
): Promise<{ usage: Usage; quota: Quota } | undefined> {
  if (!readsTeamFigures(tx.scope)) return undefined;
  const { usage, quota } = await findTeamUsage(tx);
  return { usage, quota: quotaInForce(quota, defaults) };
}
