import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../shared/config.ts';
import { CONSOLE_HEADER } from './console-cookie.ts';

/** Header names that no preflight allows. The asterisk would allow all others. */
const NEVER_ALLOWED: readonly string[] = [CONSOLE_HEADER, '*'];

/**
 * Lets pages of the allowed origins call the API, with tokens that they send themselves. They cannot use the cookie of the
 * console: credentials of the browser are not allowed, and neither is the header without which the cookie does not count.
 */
export default fp(async function crossOrigin(
  app: FastifyInstance,
  { allowedOrigins }: Pick<Config, 'allowedOrigins'>,
) {
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    // A preflight allows the headers that it asks for.
    const asked = headers['access-control-request-headers'];
    if (asked === undefined) return;
    headers['access-control-request-headers'] = asked
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !NEVER_ALLOWED.includes(name.toLowerCase()))
      .join(', ');
  });
  await app.register(cors, {
    // If no origin is allowed, OPTIONS is refused like any other method that a route does not support.
    origin: allowedOrigins.length > 0 ? [...allowedOrigins] : false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    strictPreflight: false,
    exposedHeaders: [
      'x-request-id',
      'retry-after',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'content-disposition',
      'content-range',
      'etag',
    ],
    maxAge: 600,
  });
});
