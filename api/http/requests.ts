import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import parseRange from 'range-parser';
import { Type } from 'typebox';
import type { AuditFilter, Seal } from '../../db/queries/audit.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { invalidField } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import { SEAL_PATTERN } from '../../shared/schemas/audit.ts';
import { PAGE_LIMITS } from '../../shared/schemas/common.ts';

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
 * Parses `limit` of a list.
 * @throws ServiceError `invalid_request` if it is not a whole number within the limits
 */
export function parseLimit(given: string | undefined, limits: PageLimits = PAGE_LIMITS): number {
  const limit = given === undefined ? limits.default : Number(given);
  if (!/^\d{1,4}$/.test(given ?? '1') || limit < 1 || limit > limits.max) {
    throw invalidField('/limit', `must be a whole number from 1 to ${limits.max}`);
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
}

/** Makes the page of `items`. If the list has more, its cursor is the id of the last item. */
export function pageOf<T extends { id: string }>(items: T[], hasMore: boolean): PageAnswer<T> {
  const last = items.at(-1);
  return { items, nextCursor: hasMore && last ? cursorOf(last.id) : null };
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
  query: { limit?: string; cursor?: string },
  list: (part: ListPart) => Promise<readonly T[]>,
  limits: PageLimits = PAGE_LIMITS,
): Promise<PageAnswer<T>> {
  const { limit, after } = parsePage(query, limits);
  const rows = await list({ limit: limit + 1, after });
  return pageOf(rows.slice(0, limit), rows.length > limit);
}

/** A page of versions, newest first: `limit` versions lower than `before`, or the newest ones if it is null. */
export interface VersionPart {
  before: number | null;
  limit: number;
}

/**
 * Parses `limit` and `cursor` of a list of versions.
 * @throws ServiceError `invalid_request`
 */
export function parseVersionPage(query: { limit?: string; cursor?: string }): VersionPart {
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

/** The highest number that the database stores as a version. */
const MAX_VERSION = 2 ** 31 - 1;

function cursorOfVersion(version: number): string {
  return Buffer.from(String(version), 'latin1').toString('base64url');
}

/** Makes a page of versions. If the list has more, its cursor is the last version. */
export function versionPageOf<T extends { version: number }>(
  items: T[],
  hasMore: boolean,
): { items: T[]; nextCursor: string | null } {
  const last = items.at(-1);
  return { items, nextCursor: hasMore && last ? cursorOfVersion(last.version) : null };
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

/** Parses the filter of a list of audit events. */
export function parseAuditFilter(query: { kind?: string; subjectId?: string; teamId?: string }): AuditFilter {
  return {
    kind: query.kind ?? null,
    subjectId: parseIdFilter(query.subjectId),
    teamId: parseIdFilter(query.teamId),
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
