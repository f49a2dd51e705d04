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
