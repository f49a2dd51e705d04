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
