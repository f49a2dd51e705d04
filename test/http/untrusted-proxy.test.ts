import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { openTestApp } from '../support/app.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';

const service = await openTestApp();

/** The warnings of an app that got two requests through a proxy and one without. */
async function warnings(t: { after(fn: () => unknown): void }, trustedProxies: string[]): Promise<string[]> {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const config = { ...service.config, trustedProxies };
  const app = await buildTestedApp({ ...service, config, logger: pino({ level: 'warn' }, sink) });
  t.after(() => app.close());
  await app.inject('/livez');
  for (const address of ['203.0.113.7', '203.0.113.8']) {
    await app.inject({ url: '/livez', headers: { 'x-forwarded-for': address } });
  }
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test('a proxy that is not configured causes one warning, which contains no address', async (t) => {
  const told = await warnings(t, []);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /MEMORY_TRUSTED_PROXIES/);
  assert.doesNotMatch(told[0] ?? '', /203/);
});

test('no warning is logged when a trusted proxy is configured', async (t) => {
  assert.deepEqual(await warnings(t, ['192.0.2.1']), []);
});
