import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../shared/config.ts';

/**
 * Warns once if the service seems to be behind a proxy but trusts none. All callers then count as one address, and ten
 * wrong passwords of a stranger prevent the owner of an email from signing in.
 */
export default fp(function untrustedProxy(
  app: FastifyInstance,
  { trustedProxies }: Pick<Config, 'trustedProxies'>,
  done: () => void,
) {
  let hasWarned = trustedProxies.length > 0;
  app.addHook('onRequest', async (request) => {
    if (hasWarned || request.headers['x-forwarded-for'] === undefined) return;
    hasWarned = true;
    request.log.warn(
      'A request has X-Forwarded-For, but MEMORY_TRUSTED_PROXIES is not set: limits count all callers behind a proxy as one',
    );
  });
  done();
});
