import { createHash, randomBytes } from 'node:crypto';
import { DAY_MS } from '../../shared/formats/times.ts';
import { firstIdOf, newId } from '../../shared/ids.ts';
import type { AuditEvent, AuditKindOf, AuditSubjectType } from '../../shared/schemas/audit.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import {
  prepared,
  type Queryable,
  type ScopedTransaction,
  type TeamTransaction,
} from '../driver/database.ts';
import { type ListPart, layerKind, wireTime } from './common.ts';
import { queryList } from './query-list.ts';

interface EntryFields {
  subjectId: string | null;
  /** The client of the layer of a subject, or null for the Team layer; absent for a subject without a layer. */
  clientId?: string | null;
  /** The Team that an event of the Company is about. An event of a Team's scope has the Team of the scope. */
  teamId?: string;
  /**
   * Must not contain content, tokens or passwords, because events are kept after their subjects are deleted; and no name
   * or email of a person and no name of a client or an agent token, which can name a person, because nobody can erase it
   * here. Lists join names when they are read.
   */
  detail?: Record<string, unknown>;
}

/** An audit event to insert: its kind, with a type of subject that the kind can have. */
export type AuditEntry = {
  [S in AuditSubjectType]: EntryFields & { kind: AuditKindOf<S>; subjectType: S };
}[AuditSubjectType];

/** What a search asked and found. It is stored beside its event, where it can be deleted. */
export interface AuditedSearch {
  /** Null: its text is not stored. */
  query: string | null;
  hitIds: readonly string[];
  /** The passages of grouped hits, without the hits. */
  passageIds: readonly string[];
}

/** Who made a change, and in which Team. The Team is null for a change of the Company. */
interface Actor {
  companyId: string;
  userId: string;
  teamId: string | null;
}

const INSERTION = prepared(
  `insert into memory.audit_event
       (company_id, id, kind, actor_id, team_id, client_id, layer, subject_type, subject_id, detail)
     select $1, r.id, r.kind, $2, r.team_id, r.client_id, r.layer, r.subject_type, r.subject_id, r.detail
       from jsonb_to_recordset($3::jsonb) as r
         (id uuid, kind text, team_id uuid, client_id uuid, layer text, subject_type text, subject_id uuid, detail jsonb)`,
);

/** The statement that inserts events of an actor. An event gets the id that belongs to its entry, or a new one. */
function insertion(
  { companyId, userId, teamId }: Actor,
  entries: readonly AuditEntry[],
  ids: readonly string[] = [],
) {
  const rows = entries.map((entry, index) => ({
    id: ids[index] ?? newId(),
    kind: entry.kind,
    team_id: teamId ?? entry.teamId ?? null,
    client_id: entry.clientId ?? null,
    layer: entry.clientId === undefined ? null : layerKind(entry.clientId),
    subject_type: entry.subjectType,
    subject_id: entry.subjectId,
    detail: entry.detail ?? {},
  }));
  return { text: INSERTION, values: [companyId, userId, JSON.stringify(rows)] };
}

/**
 * Inserts events of the scope's user, in the transaction of the change that they record. Does not wait for the
 * statement, which saves a round trip. If it fails, the transaction fails.
 */
export function insertAuditEvents(tx: ScopedTransaction, entries: readonly AuditEntry[]): void {
  sendInsertion(tx, insertion({ teamId: null, ...tx.scope }, entries));
}

function sendInsertion(tx: Queryable, { text, values }: { text: string; values: unknown[] }): void {
  // The driver reports the error when it commits. Until then a rejection must not count as unhandled.
  tx.query(text, values).catch(() => undefined);
}

const SEARCH_COLUMNS =
  'company_id, team_id, event_id, actor_id, hit_ids, passage_ids, hits_salt, query, query_salt';
const SEARCH_INSERTION = prepared(
  `insert into memory.audit_search (${SEARCH_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, null, null)`,
);
/**
 * With its text, unless the person was erased or the Team was deleted since the search began. Both wait until the text is
 * stored, and delete it.
 */
const TEXT_INSERTION = prepared(
  `insert into memory.audit_search (${SEARCH_COLUMNS})
     select $1, $2, $3, $4, $5, $6, $7, case when open.found then $8 end, case when open.found then $9::bytea end
       from (select (select true from identity.account a
                      where a.company_id = $1 and a.id = $4 and a.erased_at is null for share)
                and (select true from identity.team t
                      where t.company_id = $1 and t.id = $2 and t.deleted_at is null for share) as found) open`,
);

/**
 * Inserts the event of a search of the scope's user, with hashes of its text and its hits, and these beside it. Does not
 * wait for the statements, as `insertAuditEvents`.
 */
export function insertSearchEvent(tx: TeamTransaction, entry: AuditEntry, search: AuditedSearch): void {
  const { companyId, teamId, userId } = tx.scope;
  const eventId = newId();
  const hits = saltedHash(hitList(search));
  const query = search.query === null ? null : saltedHash(search.query);
  const hashes = { hitsHash: hits.hash, ...(query === null ? {} : { queryHash: query.hash }) };
  const event = { ...entry, detail: { ...entry.detail, ...hashes } };
  sendInsertion(tx, insertion(tx.scope, [event], [eventId]));
  const row = [companyId, teamId, eventId, userId, search.hitIds, search.passageIds, hits.salt];
  sendInsertion(
    tx,
    query === null
      ? { text: SEARCH_INSERTION, values: row }
      : { text: TEXT_INSERTION, values: [...row, search.query, query.salt] },
  );
}

/** A new salt, and the SHA-256 of the salt and the text. The function memory.salted_hash makes the same. */
function saltedHash(text: string): { salt: Buffer; hash: string } {
  const salt = randomBytes(16);
  return { salt, hash: createHash('sha256').update(salt).update(text).digest('hex') };
}

/** The ids in the form that is hashed. The function memory.hit_list makes the same. */
const hitList = ({ hitIds, passageIds }: AuditedSearch) => `${hitIds.join(',')};${passageIds.join(',')}`;

/**
 * Deletes the stored texts of searches, with their salts: those of a person, or those in a Team. Lock the account or the
 * Team before: a search that stores a text shares these locks.
 */
export async function deleteSearchTexts(
  tx: ScopedTransaction<CompanyScope>,
  of: { userId: string } | { teamId: string },
): Promise<void> {
  const [column, id] = 'userId' in of ? ['actor_id', of.userId] : ['team_id', of.teamId];
  await tx.query(
    `update memory.audit_search set query = null, query_salt = null
      where company_id = $1 and ${column} = $2 and query is not null`,
    [tx.scope.companyId, id],
  );
}

/** Inserts the first events of a Company, and those of the start, as the owner of the tables: no scope is in use there. */
export async function insertFirstAuditEvents(
  tx: Queryable,
  owner: Pick<Actor, 'companyId' | 'userId'>,
  entries: readonly AuditEntry[],
): Promise<void> {
  const { text, values } = insertion({ ...owner, teamId: null }, entries);
  await tx.query(text, values);
}

/** Which events a list contains. A field that is null does not restrict it. Ids are UUIDs. */
export interface AuditFilter {
  kinds: readonly string[] | null;
  exceptKinds: readonly string[];
  subjectId: string | null;
  actorId: string | null;
  /** Inclusive, in milliseconds. */
  since: Date | null;
  /** Inclusive, in milliseconds. */
  until: Date | null;
  /** Only in the scope of a Company. The scope of a Team lists the events of its Team. */
  teamId: string | null;
}

/** The detail of an event, with what a search asked and found as long as it is stored. */
const DETAIL = `case when search.event_id is null then e.detail else e.detail
  || jsonb_build_object('hitIds', search.hit_ids)
  || case when search.passage_ids = '{}' then '{}' else jsonb_build_object('passageIds', search.passage_ids) end
  || case when search.query is null then '{}' else jsonb_build_object('query', search.query) end end`;

/**
 * The time filters compare `at`. The id of an event is made by another clock, up to minutes earlier or later: its bounds, a day
 * wider, only spare the reading of other days.
 */
const eventsWith = (condition: string) => `select e.* from memory.audit_event e
  where e.company_id = $companyId and ($teamId::uuid is null or e.team_id = $teamId) ${condition}
    and e.kind <> all ($exceptKinds::text[])
    and ($subjectId::uuid is null or e.subject_id = $subjectId) and ($actorId::uuid is null or e.actor_id = $actorId)
    and ($since::timestamptz is null or (e.at >= $since and e.id >= $firstId::uuid))
    and ($until::timestamptz is null or (date_trunc('milliseconds', e.at) <= $until and e.id < $lastId::uuid))
    and ($after::uuid is null or e.id < $after)
    and (not $inTeam or e.client_id is null or e.client_id = any ($reads::uuid[]))
    and (not $ofLayersOnly or e.layer is not null)
  order by e.id desc limit $limit`;
const ALL_EVENTS = eventsWith('');
/** Each kind is read in the order of its index, however rare it is. */
const EVENTS_OF_KINDS = `select e.* from unnest($kinds::text[]) k (kind)
  cross join lateral (${eventsWith('and e.kind = k.kind')}) e order by e.id desc limit $limit`;

/**
 * Lists events, newest first: of the Company, or, in a Team's scope, the events of that Team that the caller can read.
 * An agent token that is limited to clients gets only events about something in a layer: other events can name other
 * clients, such as a search of all clients, an invite with grants, or another token.
 */
export async function listAuditEvents(
  tx: ScopedTransaction,
  part: ListPart,
  filter: AuditFilter,
): Promise<AuditEvent[]> {
  const { scope } = tx;
  const inTeam = 'teamId' in scope;
  const { kinds, since, until } = filter;
  const events = kinds === null ? ALL_EVENTS : EVENTS_OF_KINDS;
  const rows = await queryList<Omit<AuditEvent, 'at'> & { at: Date }>(
    tx,
    part,
    `select e.id, e.kind, e.actor_id as "actorId", actor.name as "actorName", e.token_id as "tokenId",
            e.team_id as "teamId", e.subject_type as "subjectType", e.subject_id as "subjectId",
            coalesce(subject.name, invite.email, token.name, client.name) as "subjectName", e.layer,
            e.client_id as "clientId", layer.name as "clientName", ${DETAIL} as detail, e.at
       from (${events}) e
       left join identity.account actor
         on actor.company_id = e.company_id and actor.id = e.actor_id and actor.erased_at is null
       left join identity.account subject
         on e.subject_type = 'account' and subject.company_id = e.company_id and subject.id = e.subject_id
        and subject.erased_at is null
       left join identity.invite invite
         on e.subject_type = 'invite' and invite.company_id = e.company_id and invite.id = e.subject_id
       left join identity.agent_token token
         on e.subject_type = 'agent_token' and token.company_id = e.company_id and token.team_id = e.team_id
        and token.id = e.subject_id
       left join identity.client client
         on e.subject_type = 'client' and client.company_id = e.company_id and client.team_id = e.team_id
        and client.id = e.subject_id
       left join identity.client layer
         on layer.company_id = e.company_id and layer.team_id = e.team_id and layer.id = e.client_id
       left join memory.audit_search search
         on e.kind = 'memory.search' and search.team_id = e.team_id and search.event_id = e.id
      order by e.id desc`,
    {
      companyId: scope.companyId,
      teamId: inTeam ? scope.teamId : filter.teamId,
      ...(kinds === null ? {} : { kinds }),
      exceptKinds: filter.exceptKinds,
      subjectId: filter.subjectId,
      actorId: filter.actorId,
      since,
      firstId: since === null ? null : firstIdOf(since.getTime() - DAY_MS),
      until,
      lastId: until === null ? null : firstIdOf(until.getTime() + DAY_MS),
      inTeam,
      reads: inTeam ? scope.reads : [],
      ofLayersOnly: inTeam && scope.tokenClients !== null,
    },
    [],
    events,
  );
  return rows.map((row) => ({ ...row, at: wireTime(row.at) }));
}

/** A seal of a Company's chain, as it is noted elsewhere. */
export interface Seal {
  sequence: number;
  /** SHA-256, hexadecimal. */
  hash: string;
}

/** A place in the chain: the seal that was verified last, or `START`. */
export interface ChainPlace {
  sequence: number;
  /** SHA-256, 32 bytes; empty before the first seal. */
  hash: Uint8Array;
}
export const CHAIN_START: ChainPlace = { sequence: 0, hash: new Uint8Array() };

/** How many seals were valid, the last valid one, and the event at which the chain breaks, or null. */
export interface ChainWalk {
  walked: number;
  place: ChainPlace;
  firstBreak: string | null;
}

/** Verifies the next seals of the Company, at most `limit`, against their events. */
export async function walkAudit(
  tx: ScopedTransaction<CompanyScope>,
  from: ChainPlace,
  limit: number,
): Promise<ChainWalk> {
  const [row] = await tx.query<ChainPlace & { walked: number; firstBreak: string | null }>(
    `select walked, sequence, hash, first_break as "firstBreak" from memory.walk_audit($1, $2, $3)`,
    [from.sequence, from.hash, limit],
  );
  if (row === undefined) throw new Error('walk_audit returned no row');
  const { walked, sequence, hash, firstBreak } = row;
  return { walked, place: { sequence, hash }, firstBreak };
}
