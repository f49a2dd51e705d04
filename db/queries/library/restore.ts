import type { Source } from '../../../shared/schemas/memory.ts';
import { TERMS_VERSION } from '../../../shared/text/terms.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { lockDueRepeats } from '../memory/expiry.ts';
import { SOURCE_COLUMNS, type SourceRow, toStored } from '../memory/source-rows.ts';
import { lockSourceNames } from '../memory/sources.ts';
import { findSourceNames } from './source-names.ts';

/**
 * Locks the names of a source as `lockSourceNames` does, and the due sources that it would repeat. Call it before the source is
 * locked: a request that stores a source locks its names first, and a purge of a due source locks it before its copies.
 */
export async function lockNamesOf(tx: TeamTransaction, id: string): Promise<void> {
  const names = await findSourceNames(tx, id);
  if (names === null) return;
  await lockSourceNames(tx, names);
  await lockDueRepeats(tx, names);
}

/**
 * Makes an archived source active again. Its chunks must be restored in the same transaction.
 * @returns the source, and whether its terms were made by an earlier version
 */
export async function activateRestored(
  tx: TeamTransaction,
  id: string,
  chunks: number,
): Promise<{ source: Source; isOutdated: boolean }> {
  const [row] = await tx.query<SourceRow & { isOutdated: boolean }>(
    `update memory.source s set state = 'active', chunk_count = $3, same_as = null, updated_at = now()
      where s.team_id = $1 and s.id = $2 and s.state = 'archived'
      returning ${SOURCE_COLUMNS}, s.terms_version < ${TERMS_VERSION} as "isOutdated"`,
    [tx.scope.teamId, id, chunks],
  );
  if (row === undefined) throw new Error('the source to restore is not archived');
  const { isOutdated, ...source } = row;
  return { source: toStored(source).source, isOutdated };
}
