import type { Capture, ListedCapture } from '../../../../shared/schemas/consolidation.ts';
import type { Provenance } from '../../../../shared/schemas/library.ts';
import type { TeamTransaction } from '../../../driver/database.ts';
import { stateNow } from '../../fragments/expiry.ts';
import { inScope, layerKind, scopeValues } from '../../fragments/layers.ts';
import type { ListPart } from '../../fragments/list-part.ts';
import { CAPTURE_COLUMNS, CAPTURE_STATE, type Times, wireTimes } from './captures.ts';

/** The filters of a list of captures. A filter that is null does not restrict it. */
export interface CaptureFilter {
  id: string | null;
  state: Capture['state'] | null;
  sessionId: string | null;
  /** Only captures of the scope's user. */
  ownOnly: boolean;
  /** Whether memories that are not published are named too. */
  everyMemory: boolean;
}

/**
 * Lists captures within the scope, newest first. The summary of a capture of another user is null, unless a memory in
 * review or a published memory refers to the capture.
 */
export async function listCaptures(
  tx: TeamTransaction,
  part: ListPart,
  filter: CaptureFilter,
): Promise<ListedCapture[]> {
  const rows = await tx.query<
    Omit<ListedCapture, 'layer' | 'memoryIds' | keyof Times> & Times & { memoryIds: string[] }
  >(
    `with page as (
       select c.* from memory.capture c
        where ${inScope('c')} and (not $3 or c.created_by = $4)
          and ($5::uuid is null or c.id = $5) and ($6::text is null or ${CAPTURE_STATE} = $6)
          and ($7::text is null or c.session_id = $7) and ($8::uuid is null or c.id < $8)
        order by c.id desc limit $9
     ), made as (
       select o.capture_id, array_agg(m.id order by m.id) as ids
         from memory.memory_item m cross join lateral unnest(m.capture_ids) as o (capture_id)
        where ${inScope('m')} and m.capture_ids && array(select p.id from page p)
          and ($10 or ${stateNow('m')} = 'published')
        group by o.capture_id
     )
     select ${CAPTURE_COLUMNS}, case when c.created_by = $4 or e.id is not null then c.summary end as summary,
            coalesce(made.ids, '{}') as "memoryIds"
       from page c
       left join memory.evidence_captures(array(select p.id from page p where p.created_by <> $4)) e on e.id = c.id
       left join made on made.capture_id = c.id
      order by c.id desc`,
    [
      ...scopeValues(tx.scope),
      filter.ownOnly,
      tx.scope.userId,
      filter.id,
      filter.state,
      filter.sessionId,
      part.after,
      part.limit,
      filter.everyMemory,
    ],
  );
  return rows.map(({ memoryIds, ...row }) => ({
    ...row,
    ...(memoryIds.length === 0 ? {} : { memoryIds }),
    layer: layerKind(row.clientId),
    ...wireTimes(row),
  }));
}

/** Returns the captures of memories in review, by id, as far as they are within the scope. */
export async function listProvenance(
  tx: TeamTransaction,
  ids: readonly string[],
): Promise<Map<string, Provenance>> {
  const rows = await tx.query<Omit<Provenance, keyof Times> & Times>(
    `select c.id, c.session_id as "sessionId", c.sequence, c.summary, c.started_at as "startedAt",
            c.ended_at as "endedAt", c.created_by as "createdBy", c.created_at as "createdAt"
       from memory.capture c where ${inScope('c')} and c.id = any ($3::uuid[])`,
    [...scopeValues(tx.scope), ids],
  );
  return new Map(rows.map((row) => [row.id, { ...row, ...wireTimes(row) }]));
}
