import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { openTestApp } from '../support/app.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';

const service = await openTestApp();

test('logs each request as one line with its request id, its route and no query string', async (t) => {
  const lines: string[] = [];
  const options = { level: 'info', base: null, redact: ['token', '*.token'] };
  const logger = pino(options, { write: (line: string) => void lines.push(line) });
  const app = await buildTestedApp({ ...service, logger });
  t.after(() => app.close());
  const company = await service.company();
  const { headers } = company;
  const found = await app.inject({ url: '/v1/memory/sources?limit=1', headers });
  const missing = await app.inject({ method: 'DELETE', url: '/v1/nothing?token=mine', headers });
  const logged = lines.map((line) => {
    const { time, ms, level, ...rest } = JSON.parse(line) as Record<string, unknown>;
    assert.ok(typeof time === 'number' && Number.isInteger(ms) && level === 30, line);
    return rest;
  });
  assert.deepEqual(logged, [
    {
      reqId: found.headers['x-request-id'],
      method: 'GET',
      route: '/v1/memory/sources',
      status: 200,
      msg: 'answered',
    },
    {
      reqId: missing.headers['x-request-id'],
      method: 'DELETE',
      route: 'unknown',
      status: 404,
      msg: 'answered',
    },
  ]);
});

test('follows a change of the level while the service runs', async (t) => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const app = await buildTestedApp({ ...service, logger });
  t.after(() => app.close());
  const countLines = async () => {
    await app.inject('/livez');
    return lines.length;
  };
  assert.equal(await countLines(), 0);
  logger.level = 'debug';
  assert.equal(await countLines(), 1);
  logger.level = 'warn';
  assert.equal(await countLines(), 1);
});
