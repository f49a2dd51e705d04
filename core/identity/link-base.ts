import type { Server } from 'node:http';
import type { Config } from '../../shared/config.ts';
import { invalidField } from '../../shared/errors.ts';
import { canonicalBaseUrl } from '../../shared/formats/base-url.ts';

/**
 * Returns the base of the one-time links of the service, without a slash at the end: the base that the caller
 * requested, otherwise the configured one, otherwise the loopback address. Never the Host header, which a stranger can
 * choose.
 * @param requested `baseUrl` of the request
 * @param server has the port that the service listens on, if the configured one is 0
 * @throws ServiceError `invalid_request` if `requested` is not a base address
 */
export function linkBase(
  config: Pick<Config, 'identityUrl' | 'publicUrl' | 'port'>,
  server: Server,
  requested?: string,
): string {
  if (requested !== undefined) return readBaseUrl(requested);
  return configuredLinkBase(config, loopbackUrl(server, config.port));
}

/** Returns what the addresses of routes begin with, without a slash at the end. Never the Host header. */
export function apiBase({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>, server: Server): string {
  return publicUrl ?? loopbackUrl(server, port);
}

/** Returns the configured base of links, or `listeningUrl` without one. */
export function configuredLinkBase(
  config: Pick<Config, 'identityUrl' | 'publicUrl'>,
  listeningUrl: string,
): string {
  return config.identityUrl ?? config.publicUrl ?? listeningUrl;
}

function loopbackUrl(server: Server, port: number): string {
  return `http://127.0.0.1:${listeningPort(server) ?? port}`;
}

function listeningPort(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}

function readBaseUrl(text: string): string {
  const base = canonicalBaseUrl(text);
  if (base !== null) return base;
  throw invalidField('/baseUrl', 'must be an absolute http or https address without query and fragment');
}
