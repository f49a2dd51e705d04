import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp } from '../support/app.ts';

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
});
