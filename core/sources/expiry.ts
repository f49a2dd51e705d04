import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { findRepeat, type SourceNames } from '../../db/queries/sources/changes.ts';
import {
  archiveDueMemory,
  archiveSource as archiveRow,
  type DueRecord,
  findDueMemory,
  lockDueRecords,
  lockDueRepeats,
} from '../../db/queries/sources/removal.ts';
import type { NewSource } from '../../db/queries/sources/sources.ts';
import { ServiceError } from '../../shared/errors.ts';
import { clientOf, type LayerId, layerScope } from '../../shared/scope.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueIndexing } from './indexing.ts';

/** Records archived in one transaction. */
const MAX_RECORDS = 50;
/** Chunks deleted in one transaction, except that one record can have more. */
const MAX_EXPIRED_CHUNKS = 2000;

/**
 * Archives some of the due records of a layer, also in a Team or client that is archived. Searches do not depend on it.
 * @returns how many; 0 if there are no more, or others have locked them
 */
export function expireRecords(
  { config, database, queue }: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  layer: { companyId: string; teamId: string; layerId: LayerId },
): Promise<number> {
  const { layerId } = layer;
  return runCommand(database, layerScope(layer), {
    lock: (tx) => lockDueRecords(tx, layerId, MAX_RECORDS),
    apply: async (tx, due) => {
      let chunks = 0;
      const records = due.filter((record, index) => {
        chunks += record.chunks;
        return index === 0 || chunks <= MAX_EXPIRED_CHUNKS;
      });
      const audit = await archiveDue(tx, layerId, records);
      if (records.every(({ sourceId }) => sourceId === null)) return { result: records.length, audit };
      return {
        result: records.length,
        audit,
        enqueue: () => enqueueIndexing(tx, queue, config, []),
      };
    },
  });
}

/**
 * Archives the due sources that a new or restored source would repeat: they count as archived, but their names are still
 * in use. Lock the names of the source before.
 * @returns the events for the command to record
 */
export async function archiveDueRepeats(
  tx: TeamTransaction,
  source: Pick<NewSource, 'layerId' | 'externalId' | 'contentHash' | 'fileId'>,
): Promise<AuditEntry[]> {
  // The source of a workspace file repeats no other and never expires.
  if (source.fileId !== undefined) return [];
  return archiveDue(tx, source.layerId, await lockDueRepeats(tx, source));
}

/**
 * Archives a memory that counts as archived because it has expired, if a job has not done it yet. Lock the memory before.
 * @returns the events for the command to record
 */
export async function archiveIfDue(tx: TeamTransaction, memoryId: string): Promise<AuditEntry[]> {
  const due = await findDueMemory(tx, memoryId);
  return due === null ? [] : archiveDue(tx, due.layerId, [due]);
}

async function archiveDue(
  tx: TeamTransaction,
  layerId: LayerId,
  records: readonly DueRecord[],
): Promise<AuditEntry[]> {
  const clientId = clientOf(tx.scope, layerId);
  const audit: AuditEntry[] = [];
  for (const { sourceId, memoryId, version, chunks } of records) {
    if (sourceId !== null) await archiveRow(tx, sourceId);
    if (memoryId !== null) {
      await archiveDueMemory(tx, memoryId);
      const detail = sourceId === null ? { version } : { version, sourceId, chunks };
      audit.push({
        kind: 'memory.expire',
        subjectType: 'memory',
        subjectId: memoryId,
        clientId,
        detail,
      });
    } else if (sourceId !== null) {
      audit.push({
        kind: 'memory.expire',
        subjectType: 'source',
        subjectId: sourceId,
        clientId,
        detail: { chunks },
      });
    }
  }
  return audit;
}

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
