import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { newAgentToken } from '../../shared/formats/agent-token.ts';
import type { IssuedToken } from '../../shared/schemas/tokens.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { agentOf, createAgent, expire } from '../support/agent-tokens.ts';
import { openTestApp } from '../support/app.ts';
import { callerOf, via } from '../support/client/client.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson, type Caller, withoutRequestId } from '../support/team.ts';

const service = await openTestApp();
const second = await openSecondApp({ after }, service);
const { app, database } = service;

const NONE = 'Bearer';
const REFUSED = 'Bearer error="invalid_token"';

/** What a refusal says: its code, its challenge and its detail. */
async function refusalOf(
  caller: Caller,
  url = '/v1/auth/session',
  process: Pick<typeof service, 'app'> = service,
) {
  const answer = await via(process, caller).send('GET', url);
  assert.equal(answer.statusCode, 401, answer.body);
  const { code, detail } = answer.json<{ code: string; detail: string }>();
  return { code, challenge: answer.headers['www-authenticate'], detail, body: withoutRequestId(answer.body) };
}
const withToken = (token: string) => callerOf(service.app, { authorization: `Bearer ${token}` });

describe('every route that requires a credential', () => {
  test('refuses none and a wrong one with a challenge, which tells them apart', async () => {
    const document = (await app.inject({ url: '/v1/openapi.json' })).json<{
      paths: Record<string, Record<string, { security: object[] }>>;
    }>();
    const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        // `{}` stands for none.
        .filter(([, { security }]) => security.length > 0 && security.every((one) => 'bearer' in one))
        .map(([method]) => ({
          method: method.toUpperCase() as 'GET',
          url: path.replaceAll(/\{\w+\}/g, 'x'),
        })),
    );
    assert.ok(routes.length > 80, String(routes.length));
    for (const { method, url } of routes) {
      const payload = method === 'GET' ? {} : { payload: { method: 'no/such/method' } };
      for (const [headers, challenge] of [
        [{}, NONE],
        [{ authorization: 'Basic eDp4' }, NONE],
        [{ authorization: 'Bearer wrong' }, REFUSED],
        [{ authorization: `Bearer ${newAgentToken().token}` }, REFUSED],
      ] as const) {
        const answer = await app.inject({ method, url, headers, ...payload });
        const what = `${method} ${url} ${JSON.stringify(headers)}`;
        assert.equal(outcome(answer), '401 unauthenticated', what);
        assert.equal(answer.headers['www-authenticate'], challenge, what);
        const { detail } = answer.json<{ detail: string }>();
        assert.match(
          detail,
          challenge === NONE ? /^The (request has no credential|credential is not)/ : /unknown/,
          what,
        );
      }
    }
  });
});

describe('a refused credential', () => {
  test('is told to be unknown, expired or revoked, and what to do', async () => {
    const company = await service.company();
    const revoked = await createAgent(service, company, company);
    await company.ask.revokeToken(revoked.record.id);
    const byTeam = await createAgent(service, company, company);
    await company.ask.revokeTeamToken(byTeam.record.id);
    const expired = await createAgent(service, company, company);
    await expire(service, expired);
    const old = await createAgent(service, company, company);
    const rotated = await company.ask.rotateToken(old.record.id, {});
    const next = agentOf(service, rotated.json<IssuedToken>());
    const member = await addPerson(service, company, { teamRole: 'member' });
    const lost = await createAgent(service, member, company);
    await company.ask.removeTeamMember(member.userId);
    const ended = await service.company();
    await database.query(
      `update identity.session set created_at = now() - interval '1 year' where token_hash = $1`,
      [hashToken(ended.token)],
    );
    const table: [string, Caller, string, RegExp][] = [
      ['revoked', revoked, 'unauthenticated', /has been revoked; ask its owner for a new one/],
      ['revoked by the Team', byTeam, 'unauthenticated', /has been revoked/],
      ['expired', expired, 'agent_token_expired', /has expired; create a new one/],
      ['rotated', old, 'unauthenticated', /has been revoked, because it was rotated; use its new text/],
      ['of an owner without access', lost, 'unauthenticated', /has been revoked/],
      ['session past its limits', ended, 'session_expired', /has expired; sign in again/],
      ['unknown session', withToken(newToken()), 'unauthenticated', /is unknown.*sign in again/],
    ];
    for (const [what, caller, code, detail] of table) {
      for (const process of [service, second]) {
        for (const url of ['/v1/auth/session', '/v1/memory/status', '/v1/company']) {
          const refused = await refusalOf(caller, url, process);
          assert.deepEqual([refused.code, refused.challenge], [code, REFUSED], what);
          assert.match(refused.detail, detail, what);
        }
      }
    }
    assert.equal((await next.ask.getSession()).statusCode, 200);
    // A token that was revoked after it has expired is revoked.
    await company.ask.revokeToken(expired.record.id);
    assert.match((await refusalOf(expired)).detail, /has been revoked/);
  });

  test('tells nothing about a token to those who do not know its secret', async () => {
    const company = await service.company();
    const revoked = await createAgent(service, company, company);
    await company.ask.revokeToken(revoked.record.id);
    const expired = await createAgent(service, company, company);
    await expire(service, expired);
    const active = await createAgent(service, company, company);
    const unknown = newAgentToken();
    const bodies = new Set([(await refusalOf(withToken(unknown.token))).body]);
    for (const { token, record } of [revoked, expired, active]) {
      // The lookup id of the token with the valid text of another one.
      const guess = newAgentToken();
      await database.query('update identity.agent_token_secret set lookup_id = $2 where token_id = $1', [
        record.id,
        guess.lookupId,
      ]);
      assert.notEqual(token, guess.token);
      bodies.add((await refusalOf(withToken(guess.token))).body);
    }
    bodies.add((await refusalOf(withToken(`${unknown.token.slice(0, -1)}-`))).body);
    assert.equal(bodies.size, 1, [...bodies].join('\n'));
  });

  test('is unknown 30 days after a rotation has replaced it', async () => {
    const company = await service.company();
    const old = await createAgent(service, company, company);
    await company.ask.rotateToken(old.record.id, {});
    const end = async (interval: string) => {
      await database.query(
        `update identity.agent_token_secret set ends_at = now() - $2::interval where token_id = $1 and ends_at is not null`,
        [old.record.id, interval],
      );
      await database.query('select identity.prune(1000000000, 1000000000)');
      return (await refusalOf(old)).detail;
    };
    assert.match(await end('29 days'), /was rotated/);
    assert.match(await end('31 days'), /is unknown/);
  });
});
