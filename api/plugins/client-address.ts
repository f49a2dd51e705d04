import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../shared/config.ts';
import { onceAMinute } from '../once-a-minute.ts';

/** One address as a proxy writes it: some add the port, which differs with each connection, and IPv6 then has brackets. */
const HOST_AND_PORT = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[\d.]+))(?::\d{1,5})?$/;

/**
 * The IP address of an entry of X-Forwarded-For, without port and brackets, an IPv4-mapped one as IPv4.
 * @returns null for what is no IP address
 */
export function parseAddress(entry: string): string | null {
  const text = entry.trim();
  const { bracketed, plain } = HOST_AND_PORT.exec(text)?.groups ?? {};
  // The zone names an interface of the proxy's machine, and no client.
  const address = (bracketed ?? plain ?? text).replace(/%[\w.-]*$/, '');
  return isIP(address) === 0 ? null : normalizeIP(address, 128);
}

/**
 * The address of the client, as told by proxies: the last entry that no trusted proxy wrote about another.
 * @param forwarded X-Forwarded-For of a request that a trusted proxy sent
 * @returns null if what a trusted proxy wrote is no IP address
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
 * Replaces X-Forwarded-For by the one address that it stands for, so that `request.ip` is an IP address everywhere. As
 * a proxy wrote it, each port or made-up word would be another caller to every limit by address. What is no address
 * counts as the address of the proxy.
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
      log.warn({ proxy }, 'X-Forwarded-For is no IP address: limits count its callers as the proxy itself');
    }
  });
  done();
});
