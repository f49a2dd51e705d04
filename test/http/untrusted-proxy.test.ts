import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { warningsOf } from '../support/warnings.ts';

const service = await openTestApp();

test('a proxy causes one warning, without an address, if none is configured', async (t) => {
  for (const [trustedProxies, count] of [
    [[], 1],
    [['192.0.2.1'], 0],
  ] as const) {
    const { logger, warnings } = warningsOf();
    const app = await buildTestedApp({ ...service, config: { ...service.config, trustedProxies }, logger });
    t.after(() => app.close());
    for (const headers of [{}, { 'x-forwarded-for': '203.0.113.7' }, { 'x-forwarded-for': '203.0.113.8' }])
      await app.inject({ url: '/livez', headers });
    assert.equal(warnings.length, count);
    for (const { msg } of warnings) assert.match(String(msg), /MEMORY_TRUSTED_PROXIES/);
    assert.doesNotMatch(JSON.stringify(warnings), /203\.0/);
  }
});
