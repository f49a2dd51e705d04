import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { listeningPort } from '../../core/accounts/links.ts';
import type { Config } from '../../shared/config.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { isUnderV1, MCP_ADDRESS, requestedPath } from './requests.ts';

/**
 * The header without which the cookie does not count and is not set. Browsers send no header of this name by themselves, for a
 * form of another site for example. A script of another origin would need a preflight that allows it, and none does.
 */
export const CONSOLE_HEADER = 'memory-console';

export type CookieConfig = Pick<Config, 'publicUrl' | 'host' | 'port' | 'sessionMaxSeconds'>;

const LETTERS = 8;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** Letters of a hash of the address of the service: services on two ports of a host share the cookies of a browser. */
function addressLetters({ server }: FastifyRequest, { publicUrl, host, port }: CookieConfig): string {
  const address = publicUrl ?? `${host}:${listeningPort(server.server) ?? port}`;
  const digest = createHash('sha256').update(address, 'utf8').digest();
  return Array.from(digest.subarray(0, LETTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Whether browsers reach the service by https, so that the cookie can be kept from http and from other hosts of the domain. */
function isSecure({ protocol }: FastifyRequest, { publicUrl }: CookieConfig): boolean {
  return publicUrl === null ? protocol === 'https' : publicUrl.startsWith('https:');
}

function cookieName(request: FastifyRequest, config: CookieConfig): string {
  const name = `memory-${addressLetters(request, config)}`;
  return isSecure(request, config) ? `__Host-${name}` : name;
}

const isFromConsole = ({ headers }: FastifyRequest) => headers[CONSOLE_HEADER] === '1';

/** @throws ServiceError `invalid_request` if the request cannot come from the console */
export function assertFromConsole(request: FastifyRequest): void {
  if (!isFromConsole(request)) throw invalidField('/cookie', 'requires the header Memory-Console: 1');
}

/**
 * The session token in the cookie of the console. It counts only if no Authorization is sent, valid or not.
 * @returns null if the request has no cookie that counts
 * @throws ServiceError `unauthenticated` if several cookies have the name: another host of the domain can have set one
 */
export function cookieToken(request: FastifyRequest, config: CookieConfig): string | null {
  const { headers, url } = request;
  if (headers.authorization !== undefined || headers.cookie === undefined || !isFromConsole(request))
    return null;
  if (!isUnderV1(url) || requestedPath(url) === MCP_ADDRESS) return null;
  const start = `${cookieName(request, config)}=`;
  const [cookie, ...others] = headers.cookie
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start));
  if (others.length > 0) {
    throw new ServiceError(
      'unauthenticated',
      'The request has several cookies of the console; delete the cookies of this site, then sign in again',
    );
  }
  return cookie?.slice(start.length) ?? null;
}

/** Whether a request has any credential, valid or not. */
export const hasCredential = (request: FastifyRequest, config: CookieConfig): boolean =>
  request.headers.authorization !== undefined || cookieToken(request, config) !== null;

function sendCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  config: CookieConfig,
  { value, maxAge }: { value: string; maxAge: number },
): void {
  const secure = isSecure(request, config) ? '; Secure' : '';
  const name = cookieName(request, config);
  reply.header(
    'set-cookie',
    `${name}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure}`,
  );
}

/** Sets the cookie of the console to the token of a new session. It lasts as long as the session can, however it is used. */
export function setConsoleCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  config: CookieConfig,
  token: string,
): void {
  sendCookie(request, reply, config, { value: token, maxAge: config.sessionMaxSeconds });
}

/**
 * Deletes the cookie of a caller whose own session has ended. A caller with another credential keeps it. A 401 must not do this:
 * the browser can have signed in again since it sent that request, and would lose the new cookie.
 */
export function clearConsoleCookie(request: FastifyRequest, reply: FastifyReply, config: CookieConfig): void {
  if (cookieToken(request, config) !== null) sendCookie(request, reply, config, { value: '', maxAge: 0 });
}
