import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import parseRange from 'range-parser';
import { type Static, Type } from 'typebox';
import type { AuditFilter, Seal } from '../../db/queries/audit.ts';
import type { ListPart, VersionPart } from '../../db/queries/common.ts';
import type { SortBy, Sorted, SortedPart, Sorting } from '../../db/queries/sorting.ts';
import { invalidField } from '../../shared/errors.ts';
import { firstTimeOf, lastTimeOf, parseMoment } from '../../shared/formats/times.ts';
import { isId } from '../../shared/ids.ts';
import { type CompanyAuditQuery, SEAL_PATTERN } from '../../shared/schemas/audit.ts';
import { MAX_TOTAL, PAGE_LIMITS } from '../../shared/schemas/common.ts';

/** The part of a request target before its query string. Of an absolute one, without the scheme and the host. */
export function encodedPath(target: string): string {
  const path = target.split('?', 1)[0]!.split('#', 1)[0]!;
  if (path.startsWith('/')) return path;
  const schemeEnd = path.indexOf('://');
  if (!['http', 'https'].includes(path.slice(0, Math.max(schemeEnd, 0)).toLowerCase())) return path;
  const start = path.indexOf('/', schemeEnd + 3);
  return start === -1 ? '/' : path.slice(start);
}

/** Keeps `%2F`, which separates no segments, and a segment whose bytes are not UTF-8. */
function decodeSegment(segment: string): string {
  try {
    return decodeURI(segment);
  } catch {
    return segment;
  }
}

/**
 * The path that a request target names for the router: the same for each spelling, such as `/%761/company` and
 * `http://host/v1/company`.
 */
export function requestedPath(target: string): string {
  const path = encodedPath(target);
  return path.includes('%') ? path.split('/').map(decodeSegment).join('/') : path;
}

/** Whether the path of a request target is `/v1` or under it. */
export function isUnderV1(target: string): boolean {
  const path = requestedPath(target);
  return path === '/v1' || path.startsWith('/v1/');
}

/** The address of the Model Context Protocol. */
export const MCP_ADDRESS = '/v1/mcp';

/** The id or the name of a Team in the header Memory-Team, without white space around it; undefined without the header. */
export function requestedTeam({ headers }: FastifyRequest): string | undefined {
  const header = headers['memory-team'];
  return typeof header === 'string' ? decodeHeader(header).trim() : undefined;
}

/** Node reads each byte of a header as a character of Latin-1. Bytes that are not UTF-8 stay so: some programs send Latin-1. */
function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) && bytes.toString('latin1') === value ? bytes.toString('utf8') : value;
}

/** Path parameters of a route for one record. */
export const IdParams = Type.Object({ id: Type.String() });
/** Path parameters of a route for one user. */
export const UserParams = Type.Object({ userId: Type.String() });

/** The default number of rows of a page, and the maximum. */
export interface PageLimits {
  default: number;
  max: number;
}

/**
 * Parses `limit` of a list, or another number at `path`.
 * @throws ServiceError `invalid_request` if it is not a whole number within the limits
 */
export function parseLimit(
  given: string | undefined,
  limits: PageLimits = PAGE_LIMITS,
  path = '/limit',
): number {
  const limit = given === undefined ? limits.default : Number(given);
  if (!/^\d{1,4}$/.test(given ?? '1') || limit < 1 || limit > limits.max) {
    throw invalidField(path, `must be a whole number from 1 to ${limits.max}`);
  }
  return limit;
}

/**
 * Parses `limit` and `cursor` of a list.
 * @throws ServiceError `invalid_request` if one of them is not valid
 */
export function parsePage(
  query: { limit?: string; cursor?: string },
  limits: PageLimits = PAGE_LIMITS,
): ListPart {
  const limit = parseLimit(query.limit, limits);
  if (query.cursor === undefined) return { limit, after: null };
  const after = Buffer.from(query.cursor, 'base64url').toString('latin1');
  // Decoding ignores unknown characters, so the cursor is compared with the encoding of its id.
  if (!isId(after) || cursorOf(after) !== query.cursor) {
    throw invalidField('/cursor', 'is not a cursor of this list');
  }
  return { limit, after };
}

function cursorOf(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url');
}

/** A page of a list, as the API shows it. */
interface PageAnswer<T> {
  items: T[];
  nextCursor: string | null;
  total?: number | null;
  totalAtLeast?: number;
}

/** Makes the page of `items`. If the list has more, its cursor is the id of the last item. */
export function pageOf<T extends { id: string }>(items: T[], hasMore: boolean): PageAnswer<T> {
  const last = items.at(-1);
  return { items, nextCursor: hasMore && last ? cursorOf(last.id) : null };
}

/** Counts the rows of a list if its query asks for it. */
export class RowCount {
  #total = 0;
  /** For `ListPart`. */
  readonly asked: Pick<ListPart, 'count'>;

  constructor({ count }: { count?: string }) {
    this.asked = count === 'true' ? { count: (total) => (this.#total = total) } : {};
  }

  /** The fields of the answer; none if it is not asked. */
  get fields(): { total?: number | null; totalAtLeast?: number } {
    if (this.asked.count === undefined) return {};
    return this.#total <= MAX_TOTAL ? { total: this.#total } : { total: null, totalAtLeast: MAX_TOTAL };
  }
}

type SortedPageQuery = { limit?: string; cursor?: string; sort?: SortBy; order?: 'asc' | 'desc' };

/** In this order, ids are the keys, so that its cursors are those of other lists. */
const NEWEST_FIRST: Sorting = { by: 'createdAt', descends: true };

/**
 * Parses the query of a list that can be sorted.
 * @throws ServiceError `invalid_request` if a part of it is not valid, or the cursor is of another order
 */
function parseSortedPage(query: SortedPageQuery): SortedPart {
  const { sort: by = NEWEST_FIRST.by, order = by === 'title' ? 'asc' : 'desc' } = query;
  const sorting = { by, descends: order === 'desc' };
  if (isNewestFirst(sorting)) return { ...parsePage(query), sorting, afterKey: null };
  const limit = parseLimit(query.limit);
  if (query.cursor === undefined) return { limit, sorting, after: null, afterKey: null };
  const last = parseSortedCursor(query.cursor);
  if (last === null || sortedCursor(sorting, last) !== query.cursor) {
    throw invalidField('/cursor', 'is not a cursor of this list in this order');
  }
  return { limit, sorting, after: last.id, afterKey: last.sortKey };
}

/**
 * Answers one page of a list that can be sorted. Its cursor is the key and the id of the last row shown, with the order.
 * @param list returns the rows of a part, and whether there are more after them
 * @throws ServiceError `invalid_request` if the query is not valid
 */
export async function answerSortedPage<T extends Sorted<object>>(
  query: SortedPageQuery & { count?: string },
  list: (part: SortedPart) => Promise<{ items: T[]; hasMore: boolean }>,
): Promise<PageAnswer<T>> {
  const part = parseSortedPage(query);
  const count = new RowCount(query);
  const { items, hasMore } = await list({ ...part, ...count.asked });
  const last = items.at(-1);
  const isLast = !hasMore || last === undefined || isNewestFirst(part.sorting);
  const page = isLast ? pageOf(items, hasMore) : { items, nextCursor: sortedCursor(part.sorting, last) };
  return { ...page, ...count.fields };
}

const isNewestFirst = ({ by, descends }: Sorting) => by === NEWEST_FIRST.by && descends;

/** What a key of each order looks like. */
const KEYS: Readonly<Record<SortBy, RegExp | null>> = {
  createdAt: null,
  updatedAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  title: /^[^\0]*$/,
  found: /^\d{1,18}$/,
};

function sortedCursor({ by, descends }: Sorting, { id, sortKey }: Sorted<object>): string {
  return Buffer.from(JSON.stringify([by, descends, sortKey, id])).toString('base64url');
}

/** The row that a cursor names, of whatever order; null if it is not a cursor. */
function parseSortedCursor(cursor: string): Sorted<object> | null {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
  const [by, , sortKey, id] = Array.isArray(parts) ? parts : [];
  if (typeof id !== 'string' || !isId(id) || !Object.hasOwn(KEYS, by)) return null;
  const form = KEYS[by as SortBy];
  if (form === null) return sortKey === null ? { id, sortKey } : null;
  return typeof sortKey === 'string' && form.test(sortKey) ? { id, sortKey } : null;
}

/**
 * Answers one page of a list. The cursor is the last id shown, so that rows inserted between two requests do not
 * shift the pages.
 * @param query `limit` and `cursor`
 * @param list returns the rows of a part, in the order of the list. It is asked for one row more than the page has,
 *   to find out whether there is a next page
 * @param limits of this list, if they are not the default
 * @throws ServiceError `invalid_request` if the query is not valid
 */
export async function answerPage<T extends { id: string }>(
  query: { limit?: string; cursor?: string; count?: string },
  list: (part: ListPart) => Promise<readonly T[]>,
  limits: PageLimits = PAGE_LIMITS,
): Promise<PageAnswer<T>> {
  const { limit, after } = parsePage(query, limits);
  const count = new RowCount(query);
  const rows = await list({ limit: limit + 1, after, ...count.asked });
  return { ...pageOf(rows.slice(0, limit), rows.length > limit), ...count.fields };
}

/**
 * Parses `limit` and `cursor` of a list of versions.
 * @throws ServiceError `invalid_request`
 */
function parseVersionPage(query: { limit?: string; cursor?: string }): Omit<VersionPart, 'count'> {
  const limit = parseLimit(query.limit);
  if (query.cursor === undefined) return { limit, before: null };
  const before = Number(Buffer.from(query.cursor, 'base64url').toString('latin1'));
  // The cursor is compared with the encoding of its number, because decoding ignores unknown characters.
  if (
    !Number.isInteger(before) ||
    before < 1 ||
    before > MAX_VERSION ||
    cursorOfVersion(before) !== query.cursor
  ) {
    throw invalidField('/cursor', 'is not a cursor of this list');
  }
  return { limit, before };
}

/**
 * Parses a version in a query or a path.
 * @throws ServiceError `invalid_request`
 */
export function parseWholeNumber(text: string, path: string): number {
  const version = Number(text);
  if (/^[1-9]\d{0,9}$/.test(text) && version <= MAX_VERSION) return version;
  throw invalidField(path, 'must be a whole number from 1');
}

/** The highest number that the database stores as a version. */
const MAX_VERSION = 2 ** 31 - 1;

function cursorOfVersion(version: number): string {
  return Buffer.from(String(version), 'latin1').toString('base64url');
}

/**
 * Answers one page of a list of versions. If the list has more, its cursor is the last version.
 * @param list returns the versions of a part, and whether there are more after them
 * @throws ServiceError `invalid_request` if the query is not valid
 */
export async function answerVersionPage<T extends { version: number }>(
  query: { limit?: string; cursor?: string; count?: string },
  list: (part: VersionPart) => Promise<{ items: T[]; hasMore: boolean }>,
): Promise<PageAnswer<T>> {
  const count = new RowCount(query);
  const { items, hasMore } = await list({ ...parseVersionPage(query), ...count.asked });
  const last = items.at(-1);
  return { items, nextCursor: hasMore && last ? cursorOfVersion(last.version) : null, ...count.fields };
}

/** An id that no record has. It replaces a malformed id, so that the list is empty. */
const NO_RECORD_ID = '00000000-0000-0000-0000-000000000000';

/** The id to filter a list by: null without a filter; for a malformed id, one that no record has. */
export function parseIdFilter(id: string | undefined): string | null {
  if (id === undefined) return null;
  return isId(id) ? id : NO_RECORD_ID;
}

/** The text to filter a list by; null if it is absent, or blank as forms send it. */
export function parseTextFilter(q: string | undefined): string | null {
  const text = q?.trim() ?? '';
  return text === '' ? null : text;
}

/**
 * Parses the filter of a list of audit events.
 * @throws ServiceError `invalid_request` for a time that does not exist or is out of range
 */
export function parseAuditFilter(query: Static<typeof CompanyAuditQuery>): AuditFilter {
  const { kind, since, until } = query;
  const named = new Set((query.kinds ?? '').split(',').map((word) => word.trim()));
  const exceptKinds = [...named].filter((word) => word.startsWith('!')).map((word) => word.slice(1));
  const included = [...named].filter((word) => word !== '' && !word.startsWith('!'));
  const all = included.length === 0 ? null : included;
  return {
    kinds: kind === undefined ? all : (all ?? [kind]).filter((word) => word === kind),
    exceptKinds,
    subjectId: parseIdFilter(query.subjectId),
    actorId: parseIdFilter(query.actorId),
    teamId: parseIdFilter(query.teamId),
    since: since === undefined ? null : firstTimeOf(parseMoment(since, '/since')),
    until: until === undefined ? null : lastTimeOf(parseMoment(until, '/until')),
  };
}

/**
 * Parses a seal that was noted before; null if it is absent.
 * @throws ServiceError `invalid_request`
 */
export function parseSeal(text: string | undefined): Seal | null {
  if (text === undefined) return null;
  if (!SEAL_PATTERN.test(text)) {
    throw invalidField('/seal', 'must be a number, a colon and 64 hexadecimal digits in small letters');
  }
  const [sequence = '', hash = ''] = text.split(':');
  return { sequence: Number(sequence), hash };
}

/**
 * Reads a header that lists names with weights, such as Accept-Encoding.
 * @returns the weight of each name, from 0 (refused) to 1; names that are absent have none
 */
export function acceptedWeights(header: string | string[] | undefined): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    // A weight that is not a number counts as none.
    if (name !== '') weights.set(name, weight >= 0 ? Math.min(weight, 1) : 0);
  }
  return weights;
}

/** Tells caches that an answer depends on this header of its request. */
export function addVary(reply: FastifyReply, header: string): void {
  const known = String(reply.getHeader('vary') ?? '');
  const names = known.split(',').map((name) => name.trim());
  if (names.some((name) => name.toLowerCase() === header.toLowerCase())) return;
  reply.header('vary', [...names, header].filter(Boolean).join(', '));
}

/** What a GET or HEAD of a file asks for. */
export type RequestedBytes =
  /** The caller has the file. */
  | { kind: 'unchanged' }
  /** A range that begins after the end of the file. */
  | { kind: 'unsatisfiable' }
  /** Bytes from `start` to `end`, which is included; of an empty file, `end` is -1. */
  | { kind: 'whole' | 'part'; start: number; end: number };

/** The last bytes of a file. */
const LONE_SUFFIX = /^bytes=-(\d+)$/;

/**
 * Decides what a request with the headers If-None-Match, Range and If-Range gets (RFC 9110, sections 13 and 14). A range
 * that cannot be parsed, and several ranges that are not one, are ignored.
 * @param etag a strong one, with its quotation marks
 */
export function requestedBytes(
  headers: IncomingHttpHeaders,
  { etag, bytes, method }: { etag: string; bytes: number; method: string },
): RequestedBytes {
  const whole = { kind: 'whole', start: 0, end: bytes - 1 } as const;
  // Without Cache-Control: fresh knows an older rule by which no-cache, which fetch of Node always adds, asks for the file.
  const conditions = { 'if-none-match': headers['if-none-match'] };
  if (fresh(conditions, { etag })) return { kind: 'unchanged' };
  const { range, 'if-range': condition } = headers;
  // Other units are ignored. range-parser 1.3.0 cannot satisfy one whose numbers are larger than the file.
  if (method !== 'GET' || range?.startsWith('bytes=') !== true) return whole;
  // A date is never true here, because the file has none.
  if (condition !== undefined && condition !== etag) return whole;
  // A suffix that is longer than the file is the whole file. range-parser 1.3.0 cannot satisfy it.
  const [, suffix] = LONE_SUFFIX.exec(range) ?? [];
  if (suffix !== undefined && Number(suffix) >= bytes && bytes > 0) return { ...whole, kind: 'part' };
  const parsed = parseRange(bytes, range, { combine: true });
  if (parsed === -1) return { kind: 'unsatisfiable' };
  if (parsed === -2 || parsed.length !== 1) return whole;
  const [{ start, end } = whole] = parsed;
  return { kind: 'part', start, end };
}

/**
 * A signal that is aborted when the connection of a request closes, so that long work stops if nobody receives its
 * answer. Fastify's `request.signal` (5.12) cannot be used: it is aborted as soon as the body has been read.
 */
export function disconnectSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const disconnected = new AbortController();
  if (raw.destroyed) disconnected.abort();
  else raw.once('close', () => disconnected.abort());
  return disconnected.signal;
}
