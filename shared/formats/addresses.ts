/**
 * Normalizes an address that paths are appended to: its origin and path, without a slash at the end. Returns null for
 * an address that is not absolute, or not http or https. Null too for a query or a fragment, to which no path can be
 * appended, and for a user name or password, which messages would reveal.
 */
export function canonicalBaseUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || /[?#]/.test(text) || !URL.canParse(text)) return null;
  const { username, password, origin, pathname } = new URL(text);
  return username === '' && password === '' ? origin + pathname.replace(/(?<!\/)\/+$/, '') : null;
}

/** A parameter of libpq, which other programs that read the same address need. */
const CHOICE = 'target_session_attrs';
const PROTOCOLS = new Set(['postgres:', 'postgresql:']);

/**
 * Returns an address for each host of an address, in their order: `postgres://u:p@a:1,b:2/db` has two. The parameter
 * `target_session_attrs` is removed, because changes always need a server that accepts them. Null if the address is not
 * one of PostgreSQL.
 */
export function addressesOf(url: string): string[] | null {
  const start = url.indexOf('://') + 3;
  const ends = ['/', '?', '#'].map((mark) => url.indexOf(mark, start)).filter((place) => place >= 0);
  const end = Math.min(url.length, ...ends);
  const at = url.lastIndexOf('@', end) + 1;
  const from = Math.max(start, at);
  const hosts = url.slice(from, end).split(',');
  const addresses: string[] = [];
  for (const host of hosts) {
    const one = `${url.slice(0, from)}${host}${url.slice(end)}`;
    if (!URL.canParse(one) || (hosts.length > 1 && host === '')) return null;
    const address = new URL(one);
    if (!PROTOCOLS.has(address.protocol)) return null;
    if (!address.searchParams.has(CHOICE)) {
      addresses.push(one);
      continue;
    }
    address.searchParams.delete(CHOICE);
    addresses.push(address.href);
  }
  return addresses;
}
