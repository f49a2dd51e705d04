import { readOnce } from '../../db/driver/database.ts';
import { type CaptureFilter, listCaptures as selectCaptures } from '../../db/queries/captures.ts';
import { type ListPart, ONE_ROW } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import { readFromReplica } from '../../db/replica/follow-replica.ts';
import { hasRight } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { ListedCapture } from '../../shared/schemas/captures.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/** What the caller can see of captures. */
const reach = (scope: TeamScope) => ({
  ownOnly: !hasRight(scope, 'actForOthers'),
  everyMemory: hasRight(scope, 'decideMemories'),
});

/** Lists the captures of the caller, and those of others for a caller who can act for them. Newest first. */
export function listCaptures(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  part: ListPart,
  filter: Pick<CaptureFilter, 'state' | 'sessionId'>,
): Promise<ListedCapture[]> {
  const all = { ...filter, id: null, ...reach(scope) };
  return readFromReplica(database, scope, (from) =>
    readList(from, scope, part, (tx) => selectCaptures(tx, part, all)),
  );
}

/**
 * Reads a capture that the list of the caller has.
 * @throws ServiceError `not_found`
 */
export async function getCapture(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<ListedCapture> {
  const filter = { id, state: null, sessionId: null, ...reach(scope) };
  const [capture] = await readOnce(database, scope, (tx) => selectCaptures(tx, ONE_ROW, filter));
  if (capture === undefined) throw new ServiceError('not_found');
  return capture;
}
