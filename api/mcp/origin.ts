import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { refusing } from '../openapi/declared-errors.ts';
import type { Guard } from '../plugins/guards.ts';

/** Whether a host name can only be this machine. `host` is as `URL.hostname` writes it. */
function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

function parsedHost(request: FastifyRequest): URL | null {
  const address = `http://${request.host}`;
  return URL.canParse(address) ? new URL(address) : null;
}

/** Whether the header names the public host of the service, or this machine. */
function isOwnHost(request: FastifyRequest, publicUrl: string): boolean {
  const host = parsedHost(request);
  if (host === null) return false;
  // Without a port in the header, the public address has the default port of its protocol.
  const expected = new URL(publicUrl);
  return isLoopbackHost(host.hostname) || host.hostname === expected.hostname;
}

function isAllowedOrigin(
  request: FastifyRequest,
  origin: string,
  { allowedOrigins, publicUrl }: Pick<Config, 'allowedOrigins' | 'publicUrl'>,
): boolean {
  if (allowedOrigins.includes(origin)) return true;
  const own = publicUrl === null ? `${request.protocol}://${request.host}` : publicUrl;
  if (URL.canParse(own) && new URL(own).origin === origin) return true;
  // The service as this machine reaches it, beside its public address.
  const host = parsedHost(request);
  return host !== null && isLoopbackHost(host.hostname) && origin === `${request.protocol}://${request.host}`;
}

/**
 * Refuses requests that a browser sends for a page of another site, or to a name that an attacker points at this
 * service. The protocol requires it of servers.
 */
export function fromAllowedOrigin(config: Pick<Config, 'allowedOrigins' | 'publicUrl'>): Guard {
  return refusing(['forbidden'], async (request) => {
    if (config.publicUrl !== null && !isOwnHost(request, config.publicUrl)) {
      throw new ServiceError(
        'forbidden',
        'The Host of the request is not that of MEMORY_API_PUBLIC_URL; use that address',
      );
    }
    const { origin } = request.headers;
    if (origin !== undefined && !isAllowedOrigin(request, origin, config)) {
      throw new ServiceError(
        'forbidden',
        'The Origin of the request is not allowed; add it to MEMORY_ALLOWED_ORIGINS',
      );
    }
  });
}
