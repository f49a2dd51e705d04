import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/identity/audit.ts';
import { moveSource as move } from '../../db/queries/library/move.ts';
import type { SourceNames } from '../../db/queries/library/source-names.ts';
import { findSource } from '../../db/queries/memory/source-library.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import type { Recorded } from '../access/run-command.ts';
import { makeWay } from './removal/make-way.ts';

/**
 * The fields of the event of a move between clients, or the Team layer: null. Its layer is the new one if the record comes from the Team layer. Otherwise it has no
 * layer, so that an agent token that is limited to clients does not list it: it has the id of the old client.
 */
export function moveFields(from: string | null, to: string | null): Pick<AuditEntry, 'clientId' | 'detail'> {
  return { ...(from === null ? { clientId: to } : {}), detail: { from, to } };
}

/**
 * Moves a locked, active source to another layer.
 * @param names in that layer. Lock them before
 * @returns the source as it is now, with the events for the command to record
 * @throws ServiceError `conflict` if the layer has an active source with the same text or external id
 */
export async function moveSource(
  tx: TeamTransaction,
  { id, clientId }: Source,
  names: SourceNames,
): Promise<Recorded<Source>> {
  const expired = await makeWay(tx, names);
  await move(tx, id, names.layerId);
  const moved = await findSource(tx, id);
  if (moved === null) throw new Error('the moved source does not exist');
  const event = moveFields(clientId, moved.source.clientId);
  return {
    result: moved.source,
    audit: [...expired, { kind: 'memory.move', subjectType: 'source', subjectId: id, ...event }],
  };
}
