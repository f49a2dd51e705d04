import type { TeamTransaction } from '../../../db/driver/database.ts';
import type { AuditEntry } from '../../../db/queries/identity/audit.ts';
import { findRepeat, type SourceNames } from '../../../db/queries/library/source-names.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { archiveDueRepeats } from './expire-records.ts';

/**
 * Makes sure that a source can become active in a layer under its names: archives the due sources there that have them.
 * Lock the names before.
 * @returns the events for the command to record
 * @throws ServiceError `conflict` if the layer has an active source with the same text or external id
 */
export async function makeWay(tx: TeamTransaction, names: SourceNames): Promise<AuditEntry[]> {
  // They count as archived, but would be found by the unique indexes.
  const expired = await archiveDueRepeats(tx, names);
  const repeat = await findRepeat(tx, names);
  if (repeat === null) return expired;
  const what = repeat.hasSameId ? 'externalId' : 'text';
  throw new ServiceError(
    'conflict',
    `The active source ${repeat.id} has the same ${what}; archive it first, or use it instead`,
  );
}
