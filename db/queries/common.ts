import type { Layers } from '../../shared/access.ts';
import type { LayerKind } from '../../shared/schemas/common.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Queryable } from '../driver/database.ts';

/**
 * How strongly a row is locked until the transaction ends. `share`: others can share it, and nobody can change it. `update`:
 * nobody else can lock or change it. Both leave the row to foreign keys.
 */
export type LockStrength = 'share' | 'update';

/** SQL that ends a select with a lock of its rows. */
export const ROW_LOCKS: Readonly<Record<LockStrength, string>> = {
  share: 'for share',
  update: 'for no key update',
};

/** Kinds of names that are locked although no row has them yet. The numbers keep equal names of two kinds apart. */
const NAME_KINDS = { source: 2, capture: 5, turns: 6, mails: 7 } as const;

/** Locks a name until the transaction ends: others who lock the same name wait. */
export async function lockName(tx: Queryable, kind: keyof typeof NAME_KINDS, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, $2))', [name, NAME_KINDS[kind]]);
}

/**
 * Returns the condition that a row belongs to a layer that the scope can read. Every query contains it, and row-level
 * security checks the same again. Uses `$1` and `$2`: bind `...scopeValues(scope)` first.
 * @param alias the table's name or alias in the query
 */
export function inScope(alias: string): string {
  return within(alias, '$1');
}

/**
 * Like `inScope`, for rows that are looked up by their key. The sub-select hides from the planner which Team it is: if
 * the Team is not in the statistics yet, the planner expects one row of it, and every look-up reads all of its rows.
 */
export function inScopeByKey(alias: string): string {
  return within(alias, '(select $1::uuid)');
}

function within(alias: string, teamId: string): string {
  return `${alias}.team_id = ${teamId} and ${alias}.layer_id = any ($2::uuid[])`;
}

/** The values of `inScope`, for layers that the scope can read. */
export function scopeValues(scope: TeamScope): [string, Layers] {
  return [scope.teamId, scope.reads];
}

/** The values of `inScope`, for layers that the scope can write. */
export function writeScopeValues(scope: TeamScope): [string, Layers] {
  return [scope.teamId, scope.writes];
}

/** Returns a time as it is sent to clients: ISO 8601, UTC, with milliseconds. */
export function wireTime(at: Date): string {
  return at.toISOString();
}

/**
 * Returns the client of a row, as the API names it: null for the Team layer.
 * @param alias the table's name or alias in the query
 */
export function clientColumn(alias: string): string {
  return `nullif(${alias}.layer_id, ${alias}.team_id)`;
}

/** Returns the kind of the layer that `clientColumn` names. */
export function layerKind(clientId: string | null): LayerKind {
  return clientId === null ? 'team' : 'client';
}

/**
 * A page of a list, newest first: `limit` rows after the row with the id `after`, or from the beginning if it is null.
 */
export interface ListPart {
  after: string | null;
  limit: number;
  /** Called with how many rows the whole list has, whatever the page. Any number above `MAX_TOTAL` means more than that. */
  count?: (total: number) => void;
}

/** A page of versions, newest first: `limit` versions lower than `before`, or the newest ones if it is null. */
export interface VersionPart extends Pick<ListPart, 'limit' | 'count'> {
  before: number | null;
}

/** A row of a list, with the id by which the list is paged. */
export type Listed<T> = T & { id: string };

/** A page of one row, for reading a single record with a query of lists. */
export const ONE_ROW: ListPart = Object.freeze({ limit: 1, after: null });

/** The name of an agent token that was deleted, because its owner was erased. */
export const DELETED_TOKEN = 'Former agent token';

/**
 * SQL for the column `createdWith`: the agent token with which a row of a Team was made, as it is sent to clients, or
 * null.
 * @param alias the table's name or alias in the query
 */
export function createdWith(alias: string): string {
  const token = `${alias}.created_by_token`;
  return `case when ${token} is not null then jsonb_build_object('tokenId', ${token}, 'name', ${tokenName(alias)}) end
    as "createdWith"`;
}

/** SQL for the name of the agent token with which a row of a Team was made. */
export function tokenName(alias: string): string {
  return `coalesce((select t.name from identity.agent_token t
    where t.team_id = ${alias}.team_id and t.id = ${alias}.created_by_token), '${DELETED_TOKEN}')`;
}

/**
 * SQL for the condition that a source is active: it is neither loading nor archived, and it has not expired.
 * @param alias the alias of `memory.source` in the query
 */
export function isActive(alias: string): string {
  return `${alias}.state = 'active' and not memory.is_due(${alias}.expires_at)`;
}

/**
 * SQL for the state of a source or a memory as callers see it: a record that has expired is archived, also before a job
 * archives it.
 * @param alias the alias of `memory.source` or `memory.memory_item` in the query
 */
export function stateNow(alias: string): string {
  return `memory.state_now(${alias}.state, ${alias}.expires_at)`;
}

/**
 * SQL for when a record happened, as `Moment`, named `occurredAt`.
 * @param alias of a table with the columns `occurred_at` and `occurred_is_day`
 */
export function occurredAt(alias: string, name = 'occurredAt'): string {
  const at = `${alias}.occurred_at at time zone 'UTC'`;
  return `to_char(${at}, case when ${alias}.occurred_is_day then 'YYYY-MM-DD' else 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' end) as "${name}"`;
}

/** SQL for the values of `occurred_at` and `occurred_is_day`. */
interface OccurredValues {
  at: string;
  isDay: string;
}

/** The values of a parameter with a `Moment` or null. */
export const occurredValues = (parameter: string): OccurredValues => ({
  at: `(${parameter}::text::timestamp at time zone 'UTC')`,
  isDay: `(length(${parameter}::text) = ${'YYYY-MM-DD'.length})`,
});

/**
 * The values of a record after a change: those of a parameter, or its own.
 * @param isGiven a parameter: whether the change has a value
 */
export function changedOccurrence(alias: string, isGiven: string, parameter: string): OccurredValues {
  const { at, isDay } = occurredValues(parameter);
  return {
    at: `(case when ${isGiven} then ${at} else ${alias}.occurred_at end)`,
    isDay: `(case when ${isGiven} then ${isDay} else ${alias}.occurred_is_day end)`,
  };
}

/**
 * SQL for the date of a source, by which searches find and filter it: when it happened, else when it was created.
 * @param alias of `memory.source`
 */
export const dateOf = (alias: string) => `coalesce(${alias}.occurred_at, ${alias}.created_at)`;

/** SQL for the day in UTC of an SQL time. */
export const dayInUtc = (at: string) => `(${at} at time zone 'UTC')::date`;

/** SQL for the condition that a source is dated within bounds, which are null or inclusive. */
export const isDatedWithin = (alias: string, after: string, before: string) =>
  `memory.is_dated_within(${dateOf(alias)}, ${alias}.occurred_is_day, ${after}, ${before})`;

/**
 * SQL for the condition that a row was created before a time, or that the parameter is null. Times are compared in
 * milliseconds, as callers see them: a row whose time equals the bound does not pass.
 * @param parameter the parameter with the time
 */
export const isCreatedBefore = (alias: string, parameter: string) =>
  `(${parameter}::timestamptz is null or date_trunc('milliseconds', ${alias}.created_at) < ${parameter})`;

/** Like `isCreatedBefore`, for a row that was created after a time. */
export const isCreatedAfter = (alias: string, parameter: string) =>
  `(${parameter}::timestamptz is null or date_trunc('milliseconds', ${alias}.created_at) > ${parameter})`;

/**
 * SQL for the condition that feedback waits for a decision.
 * @param alias the alias of `memory.feedback` in the query
 */
export function isOpen(alias: string): string {
  return `${alias}.settled_at is null and ${alias}.verdict <> 'useful'`;
}

/**
 * SQL for the ids of the sources with feedback that waits for a decision.
 * @param teamId the parameter with the id of the Team
 */
export function questionedSources(teamId: string): string {
  return `select q.source_id from memory.feedback q where q.team_id = ${teamId} and ${isOpen('q')}`;
}

/**
 * SQL for the id of the first source with the same text as `memory.source s`. If it has expired, the oldest of the other
 * sources with its text is the first, as after `archiveSource`.
 */
export const SAME_AS = `case when s.same_as is not null then coalesce(
    (select f.id from memory.source f where f.team_id = s.team_id and f.id = s.same_as and ${isActive('f')}),
    (select nullif(min(f.id::text)::uuid, s.id) from memory.source f
      where f.team_id = s.team_id and f.same_as = s.same_as and ${isActive('f')})) end`;

/** SQL for the first source with the text of the source of `memory.import i`, if that is not the first. */
export const SAME_SOURCE_OF_IMPORT = `(
  select jsonb_build_object('sourceId', o.id, 'title', o.title)
    from memory.source s join memory.source o on o.team_id = s.team_id and o.id = ${SAME_AS}
   where s.team_id = i.team_id and s.id = i.source_id and s.same_as is not null and ${isActive('s')})`;

/** SQL for the near duplicates that were found when `memory.import i` was completed, as far as they are active sources now. */
export const SIMILAR_SOURCES_OF_IMPORT = `(
  select coalesce(jsonb_agg(jsonb_build_object('sourceId', s.id, 'title', s.title, 'similarity', n.similarity)
                            order by n.similarity desc, s.id desc), '[]')
    from jsonb_to_recordset(i.near_duplicates) as n ("sourceId" uuid, similarity float8)
    join memory.source s on s.team_id = i.team_id and s.id = n."sourceId"
   where ${isActive('s')} and s.layer_id = i.layer_id)`;

/** How often a source was found and opened, as the database returns it; null if never. */
export type StoredUse = { found: number; opened: number; lastFoundAt: string | null } | null;

/** How often a source was found and opened, as it is sent to clients. */
export interface ShownUse {
  found: number;
  opened: number;
  lastFoundAt: string | null;
}

/**
 * SQL for the column `use`, a `StoredUse`.
 * @param alias the alias of the row in the query
 * @param sourceId its column with the id of the source
 */
export function sourceUse(alias: string, sourceId: string): string {
  return `(select jsonb_build_object('found', u.found, 'opened', u.opened, 'lastFoundAt', u.last_found_at)
             from memory.source_use u where u.team_id = ${alias}.team_id and u.source_id = ${alias}.${sourceId}) as "use"`;
}

/** SQL for how often a source was found; `alias` and `sourceId` as in `sourceUse`. */
export function foundCount(alias: string, sourceId: string): string {
  return `coalesce((select u.found from memory.source_use u
    where u.team_id = ${alias}.team_id and u.source_id = ${alias}.${sourceId}), 0)`;
}

/** Converts a use to what is sent to clients. */
export function toUse(use: StoredUse): ShownUse {
  const { found = 0, opened = 0, lastFoundAt = null } = use ?? {};
  return { found, opened, lastFoundAt: lastFoundAt === null ? null : wireTime(new Date(lastFoundAt)) };
}

/**
 * Returns the condition that a text contains another. It ignores case and how accents are composed (NFC or NFD), in
 * every language and with any collation of the database: see `memory.comparable_text`. Uses `position`, because `%` and
 * `_` are special in LIKE.
 * @param column the column with the text
 * @param parameter the parameter with the text to find
 */
export function containsText(column: string, parameter: string): string {
  const comparable = (text: string) => `memory.comparable_text(${text}::text)`;
  return `position(${comparable(parameter)} in ${comparable(column)}) > 0`;
}
