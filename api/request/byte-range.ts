import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import parseRange from 'range-parser';

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
