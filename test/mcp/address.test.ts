import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSamples } from '../status/metrics.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp } from '../support/app.ts';
import { outcome } from '../support/sign-in.ts';

const service = await openTestApp();

describe('the address of the protocol', () => {
  test('checks the credential of another method before the method, and then returns 405', async () => {
    const company = await service.company();
    const revoked = await createAgent(service, company, company);
    await company.api.revokeToken(revoked.record.id);
    for (const method of ['GET', 'DELETE', 'HEAD', 'PUT', 'PATCH'] as const) {
      const send = (headers: Record<string, string>, url = '/v1/mcp') =>
        service.app.inject({ method, url, headers });
      for (const url of ['/v1/mcp', '/v1/mcp/', '/v1/mcp?session=1']) {
        const answer = await send(company.headers, url);
        assert.deepEqual([answer.statusCode, answer.headers['allow']], [405, 'POST'], `${method} ${url}`);
      }
      const without = await send({});
      assert.deepEqual([without.statusCode, without.headers['www-authenticate']], [401, 'Bearer']);
      const refused = await send(revoked.headers);
      assert.equal(refused.headers['www-authenticate'], 'Bearer error="invalid_token"');
      const unknown = await send({}, '/v1/mcp/sessions');
      assert.equal(unknown.statusCode, 404, 'below the address there is no route');
    }
  });

  test('answers at the address with a slash at the end as at the address without, with the same label', async () => {
    const company = await service.company();
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const [plain, slash, spelled] = await Promise.all(
      ['/v1/mcp', '/v1/mcp/', '/v1/%6dcp/?x=1'].map((url) => company.send('POST', url, message)),
    );
    assert.equal(plain?.statusCode, 200);
    assert.deepEqual([slash?.body, spelled?.body], [plain?.body, plain?.body]);
    const labels = new Set(
      readSamples(await service.app.requestMetrics.registry.metrics()).map(({ labels }) => labels['route']),
    );
    assert.ok(labels.has('/v1/mcp') && !labels.has('/v1/mcp/'), [...labels].join(' '));
    for (const url of ['/v1/mcp//', '/v1/mcp/tools/', '/v1/memory/status/']) {
      assert.equal(outcome(await company.send('POST', url, message)), '404 not_found', url);
    }
  });
});
