import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../shared/config.ts';
import { onceAMinute } from './once-a-minute.ts';

/** An address as proxies write it. Some add the port, which differs with each connection; IPv6 then has brackets. */
const HOST_AND_PORT = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[\d.]+))(?::\d{1,5})?$/;

/**
 * Parses an entry of X-Forwarded-For: removes port and brackets, and converts an IPv4-mapped address to IPv4.
 * @returns null if it is not an IP address
 */
export function parseAddress(entry: string): string | null {
  const text = entry.trim();
  const { bracketed, plain } = HOST_AND_PORT.exec(text)?.groups ?? {};
  // Removes the zone, because it names a network interface of the proxy and not a caller.
  const address = (bracketed ?? plain ?? text).replace(/%[\w.-]*$/, '');
  return isIP(address) === 0 ? null : normalizeIP(address, 128);
}

/**
 * The address of the caller according to the trusted proxies: the last entry that is not itself a trusted proxy, or the
 * first entry if all are.
 * @param forwarded X-Forwarded-For of a request that a trusted proxy sent
 * @returns null if an entry by a trusted proxy is not an IP address
 */
export function forwardedAddress(
  forwarded: string,
  isTrusted: (address: string, hop: number) => boolean,
): string | null {
  let client: string | null = null;
  for (const [hop, entry] of forwarded.split(',').reverse().entries()) {
    client = parseAddress(entry);
    if (client === null || !isTrusted(client, hop + 1)) break;
  }
  return client;
}

/**
 * Replaces X-Forwarded-For by the address of the caller, so that `request.ip` is always an IP address. Without it,
 * every port or invented word in the header would count as another caller in the limits by address. If an entry is
 * not an IP address, the request counts as one of the proxy.
 */
export default fp(function clientAddress(
  app: FastifyInstance,
  { trustedProxies }: Pick<Config, 'trustedProxies'>,
  done: () => void,
) {
  if (trustedProxies.length === 0) return done();
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  const isWarningDue = onceAMinute();
  app.addHook('onRequest', async ({ raw, log }) => {
    const forwarded = raw.headers['x-forwarded-for'];
    const proxy = raw.socket.remoteAddress;
    if (forwarded === undefined || proxy === undefined || !isTrusted(proxy, 0)) return;
    const address = forwardedAddress(String(forwarded), isTrusted);
    if (address !== null) {
      raw.headers['x-forwarded-for'] = address;
      return;
    }
    delete raw.headers['x-forwarded-for'];
    if (isWarningDue()) {
      log.warn({ proxy }, 'X-Forwarded-For is not an IP address: limits count its callers as the proxy');
    }
  });
  done();
});
