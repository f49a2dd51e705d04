import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../shared/config.ts';

/**
 * Says once that a proxy seems to stand in front of the service while none is trusted: all callers then count as
 * one address, and ten wrong passwords of a stranger keep the owner of an email out.
 */
export default fp(function untrustedProxy(
  app: FastifyInstance,
  { trustedProxies }: Pick<Config, 'trustedProxies'>,
  done: () => void,
) {
  let told = trustedProxies.length > 0;
  app.addHook('onRequest', async (request) => {
    if (told || request.headers['x-forwarded-for'] === undefined) return;
    told = true;
    request.log.warn(
      'X-Forwarded-For came, but MEMORY_TRUSTED_PROXIES names no proxy: limits count all callers behind it as one',
    );
  });
  done();
});
