import type { Layers } from '../../shared/access.ts';
import type { Moment } from '../../shared/formats/times.ts';
import type { Origin } from '../../shared/origin.ts';
import type { Capture, ListedCapture } from '../../shared/schemas/captures.ts';
import type { Provenance } from '../../shared/schemas/memories.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { TeamTransaction } from '../driver/database.ts';
import {
  clientColumn,
  createdWith,
  inScope,
  type ListPart,
  layerKind,
  lockName,
  occurredAt,
  occurredValues,
  scopeValues,
  stateNow,
  tokenName,
  wireTime,
  writeScopeValues,
} from './common.ts';
import { queryList } from './query-list.ts';
import { queryNamed } from './query-named.ts';

/** A capture that is about to be staged. */
export interface NewCapture {
  id: string;
  layerId: LayerId;
  sessionId: string;
  sequence: number | null;
  summary: string;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Null or absent: unknown. */
  occurredAt?: Moment | null;
  metadata: Record<string, unknown>;
}

/** The times of a capture in the database. */
interface Times {
  startedAt: Date | null;
  endedAt: Date | null;
  createdAt: Date;
}
type CaptureRow = Omit<Capture, 'layer' | keyof Times> & Times;

/** Returns the times of a capture as they are sent to clients. */
function wireTimes({ startedAt, endedAt, createdAt }: Times) {
  return {
    startedAt: startedAt && wireTime(startedAt),
    endedAt: endedAt && wireTime(endedAt),
    createdAt: wireTime(createdAt),
  };
}

/** SQL for the state of a capture: one whose lease has expired counts as staged, even before its row is updated. */
const CAPTURE_STATE = `case when c.leased_until <= now() then 'staged' else c.state end`;

/** The columns of a capture, except its summary. */
const CAPTURE_COLUMNS = `c.id, ${CAPTURE_STATE} as state,
  c.session_id as "sessionId", c.sequence, ${clientColumn('c')} as "clientId",
  c.started_at as "startedAt", c.ended_at as "endedAt", ${occurredAt('c')}, c.metadata, c.created_by as "createdBy", ${createdWith('c')},
  c.created_at as "createdAt"`;
const COLUMNS = `${CAPTURE_COLUMNS}, c.summary`;

function toCapture(row: CaptureRow): Capture {
  return { ...row, layer: layerKind(row.clientId), ...wireTimes(row) };
}

/** Makes requests of one user that stage the same session and sequence wait for each other. */
export async function lockCaptureSequence(
  tx: TeamTransaction,
  { sessionId, sequence }: Pick<NewCapture, 'sessionId' | 'sequence'>,
): Promise<void> {
  await lockName(tx, 'capture', `${tx.scope.teamId} ${tx.scope.userId} ${sequence} ${sessionId}`);
}

/**
 * Finds the first capture of a session and sequence by the scope's user that the user can still read; else null. Locks it
 * until the transaction ends, so that a purge waits until the answer with the capture is stored.
 */
export async function lockOwnCapture(
  tx: TeamTransaction,
  given: { sessionId: string; sequence: number },
): Promise<Capture | null> {
  const found = await selectOwnCapture(tx, given);
  if (found === null) return null;
  const locked = await tx.query('select from memory.capture where team_id = $1 and id = $2 for key share', [
    tx.scope.teamId,
    found.id,
  ]);
  // A capture that is not locked was purged in between, or the user can only read it.
  return locked.length > 0 ? found : selectOwnCapture(tx, given);
}

async function selectOwnCapture(
  tx: TeamTransaction,
  { sessionId, sequence }: { sessionId: string; sequence: number },
): Promise<Capture | null> {
  const [row] = await tx.query<CaptureRow>(
    `select ${COLUMNS} from memory.capture c
      where ${inScope('c')} and c.created_by = $3 and c.session_id = $4 and c.sequence = $5
      order by c.id limit 1`,
    [...scopeValues(tx.scope), tx.scope.userId, sessionId, sequence],
  );
  return row === undefined ? null : toCapture(row);
}

/** Stages a capture. */
export async function insertCapture(tx: TeamTransaction, capture: NewCapture): Promise<Capture> {
  const occurred = occurredValues('$occurredAt');
  const [row] = await queryNamed<CaptureRow>(
    tx,
    `with c as (
       insert into memory.capture (team_id, id, layer_id, session_id, sequence, summary, started_at, ended_at,
         metadata, created_by, occurred_at, occurred_is_day, origin)
       values ($teamId, $id, $layerId, $sessionId, $sequence, $summary, $startedAt, $endedAt, $metadata, $userId,
         ${occurred.at}, ${occurred.isDay}, $origin) returning *
     )
     select ${COLUMNS} from c`,
    {
      teamId: tx.scope.teamId,
      id: capture.id,
      layerId: capture.layerId,
      sessionId: capture.sessionId,
      sequence: capture.sequence,
      summary: capture.summary,
      startedAt: capture.startedAt,
      endedAt: capture.endedAt,
      metadata: JSON.stringify(capture.metadata),
      userId: tx.scope.userId,
      occurredAt: capture.occurredAt ?? null,
      origin: tx.scope.origin,
    },
  );
  if (row === undefined) throw new Error('the capture was not inserted');
  return toCapture(row);
}

/** More bytes than a capture takes in JSON besides its texts: the names of its fields, ids and times. */
const CAPTURE_FRAME = 600;
/** SQL for the most bytes that a capture `f` takes in JSON. */
const CAPTURE_BYTES = `${CAPTURE_FRAME} + octet_length(to_json(f.summary)::text) + octet_length(f.metadata::text) +
  octet_length(to_json(f.session_id)::text) + octet_length(to_json(${tokenName('f')})::text)`;

/** Captures that were claimed together, until the lease expires. */
export interface ConsolidationBatch {
  id: string;
  expiresAt: string;
  captures: Capture[];
}

/**
 * Claims staged captures, the oldest first. A capture whose lease has expired counts as staged. No capture is in two
 * batches at once.
 * @param claim `layers`: some of the layers that the scope can write; `ownOnly`: only captures of the scope's user;
 *   `maxBytes`: the most of the JSON of all captures. The first capture is claimed in any case
 * @returns null if no capture can be claimed
 */
export async function claimCaptures(
  tx: TeamTransaction,
  claim: {
    id: string;
    layers: Layers;
    limit: number;
    leaseSeconds: number;
    ownOnly: boolean;
    maxBytes: number | null;
  },
): Promise<ConsolidationBatch | null> {
  const rows = await queryNamed<CaptureRow & { leasedUntil: Date }>(
    tx,
    `with free as (
       select f.team_id, f.id, case when $maxBytes::int is null then 0 else ${CAPTURE_BYTES} end as bytes
         from memory.capture f
        where f.team_id = $teamId and f.layer_id = any ($layers::uuid[])
          and (f.state = 'staged' or (f.state = 'claimed' and f.leased_until <= now()))
          and (not $ownOnly or f.created_by = $userId)
        order by f.id limit $limit for update skip locked
     ), fitting as (
       select l.team_id, l.id
         from (select free.*, sum(free.bytes) over upto as total, row_number() over upto as place
                 from free window upto as (order by free.id)) l
        where $maxBytes::int is null or l.total <= $maxBytes or l.place = 1
     ), c as (
       update memory.capture t set state = 'claimed', batch_id = $batchId,
              leased_until = now() + make_interval(secs => $leaseSeconds)
         from fitting where t.team_id = fitting.team_id and t.id = fitting.id
       returning t.*
     )
     select ${COLUMNS}, c.leased_until as "leasedUntil" from c order by c.id`,
    {
      teamId: tx.scope.teamId,
      layers: claim.layers,
      ownOnly: claim.ownOnly,
      userId: tx.scope.userId,
      limit: claim.limit,
      batchId: claim.id,
      leaseSeconds: claim.leaseSeconds,
      maxBytes: claim.maxBytes,
    },
  );
  const [first] = rows;
  if (first === undefined) return null;
  await tx.query(
    `insert into memory.consolidation_batch (team_id, id, user_id, capture_ids, expires_at)
     values ($1, $2, $3, $4, $5)`,
    [tx.scope.teamId, claim.id, tx.scope.userId, rows.map(({ id }) => id), first.leasedUntil],
  );
  return {
    id: claim.id,
    expiresAt: wireTime(first.leasedUntil),
    captures: rows.map((row) => {
      const { leasedUntil: _, ...capture } = row;
      return toCapture(capture);
    }),
  };
}

/** Finds a capture in an open batch of the scope's user, in the layers that the scope can write; else null. */
export async function findClaimedCapture(tx: TeamTransaction, id: string): Promise<Capture | null> {
  const [row] = await tx.query<CaptureRow>(
    `select ${COLUMNS} from memory.capture c
       join memory.consolidation_batch b on b.team_id = c.team_id and b.id = c.batch_id and b.user_id = $4
      where c.team_id = $1 and c.layer_id = any ($2::uuid[])
        and c.id = $3 and c.state = 'claimed' and c.leased_until > now()`,
    [...writeScopeValues(tx.scope), id, tx.scope.userId],
  );
  return row === undefined ? null : toCapture(row);
}

/** The fields of a claimed capture that are needed to complete its batch. */
export interface LeasedCapture {
  id: string;
  layerId: LayerId;
  createdBy: string;
  origin: Origin;
}

/** Locks the captures that still belong to a batch, in the layers that the scope can write. */
export async function lockLeasedCaptures(tx: TeamTransaction, batchId: string): Promise<LeasedCapture[]> {
  return tx.query<LeasedCapture>(
    `select c.id, c.layer_id as "layerId", c.created_by as "createdBy", c.origin from memory.capture c
      where c.team_id = $1 and c.layer_id = any ($2::uuid[])
        and c.state = 'claimed' and c.batch_id = $3
      order by c.id for update`,
    [...writeScopeValues(tx.scope), batchId],
  );
}

/** Completes these captures of a batch, and changes the others back to staged. */
export async function completeCaptures(
  tx: TeamTransaction,
  batchId: string,
  completed: readonly string[],
): Promise<void> {
  await tx.query(
    `update memory.capture set leased_until = null, state = 'completed', completed_at = now()
      where team_id = $1 and layer_id = any ($2::uuid[])
        and state = 'claimed' and batch_id = $3 and id = any ($4::uuid[])`,
    [...writeScopeValues(tx.scope), batchId, completed],
  );
  await tx.query('select memory.return_captures($1)', [batchId]);
}

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
  { id, state, sessionId, ownOnly, everyMemory }: CaptureFilter,
): Promise<ListedCapture[]> {
  const page = `select c.* from memory.capture c
        where ${inScope('c')} and (not $ownOnly or c.created_by = $userId)
          and ($id::uuid is null or c.id = $id) and ($state::text is null or ${CAPTURE_STATE} = $state)
          and ($sessionId::text is null or c.session_id = $sessionId) and ($after::uuid is null or c.id < $after)
        order by c.id desc limit $limit`;
  const rows = await queryList<
    Omit<ListedCapture, 'layer' | 'memoryIds' | keyof Times> & Times & { memoryIds: string[] }
  >(
    tx,
    part,
    `with page as (${page}), made as (
       select o.capture_id, array_agg(m.id order by m.id) as ids
         from memory.memory_item m cross join lateral unnest(m.capture_ids) as o (capture_id)
        where ${inScope('m')} and m.capture_ids && array(select p.id from page p)
          ${everyMemory ? '' : `and ${stateNow('m')} = 'published'`}
        group by o.capture_id
     )
     select ${CAPTURE_COLUMNS}, case when c.created_by = $userId or e.id is not null then c.summary end as summary,
            coalesce(made.ids, '{}') as "memoryIds"
       from page c
       left join memory.evidence_captures(array(select p.id from page p where p.created_by <> $userId)) e on e.id = c.id
       left join made on made.capture_id = c.id
      order by c.id desc`,
    { userId: tx.scope.userId, id, state, sessionId, ownOnly },
    scopeValues(tx.scope),
    page,
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
