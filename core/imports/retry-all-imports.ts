import { hasRight } from '../../shared/access.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { assertActive, lockTeamForWrite, writableLayersNow } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { requeueImports } from './requeue-imports.ts';

type Needed = Pick<Dependencies, 'database' | 'queue'>;

/** Imports that one transaction retries. Other transactions wait for it. */
const MAX_IMPORTS_PER_SLICE = 500;

/**
 * Runs again every failed import that the caller can retry: their own, or everyone's with Full access. Each slice is a
 * transaction, because one transaction for a hundred thousand imports would take too long.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `team_archived`
 */
export async function retryAllImports(deps: Needed, scope: TeamScope): Promise<Import[]> {
  const imports: Import[] = [];
  for (let more = true; more; ) {
    // In the order of the ids, so that an import that fails again between two slices is not retried twice.
    const slice = await retrySlice(deps, scope, imports.at(-1)?.id ?? null);
    imports.push(...slice);
    more = slice.length === MAX_IMPORTS_PER_SLICE;
  }
  return imports;
}

function retrySlice(deps: Needed, scope: TeamScope, after: string | null): Promise<Import[]> {
  return runCommand(deps.database, scope, {
    lock: async (tx) => {
      const team = await lockTeamForWrite(tx);
      assertActive(team);
      const layers = await writableLayersNow(tx, team, scope.writes);
      return { layers, author: hasRight(team, 'actForOthers') ? null : team.userId };
    },
    apply: (tx, { layers, author }) =>
      requeueImports(tx, deps, { layers, ids: null, author, part: { after, limit: MAX_IMPORTS_PER_SLICE } }),
  });
}
