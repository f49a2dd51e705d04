import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson, addTeam, inTeam } from '../support/team.ts';

const service = await openTestApp();
const { app } = service;

describe('the selection of a Team', () => {
  test('a request without memory-team selects the only Team, and returns 400 when there are several', async () => {
    const company = await service.company();
    const { authorization } = company.headers;
    const only = await app.inject({ url: '/v1/memory/status', headers: { authorization } });
    assert.equal(only.statusCode, 200);
    await addTeam(service, company);
    const several = await app.inject({ url: '/v1/memory/status', headers: { authorization } });
    assert.equal(outcome(several), '400 team_required');
  });

  test('returns 403 for a caller without a Team, with or without the header', async () => {
    const company = await service.company();
    const outsider = await addPerson(service, company, {});
    const { authorization } = outsider.headers;
    const answers = [
      await outsider.ask.getStatus(),
      await app.inject({ url: '/v1/memory/status', headers: { authorization } }),
    ];
    for (const answer of answers) assert.equal(outcome(answer), '403 team_forbidden');
  });

  test('returns the same 403 for an unknown, a malformed and an inaccessible Team', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const member = await addPerson(service, company, { teamRole: 'member' });
    const closed = await addTeam(service, company);
    for (const caller of [company, member]) {
      const names = [newId(), stranger.teamId, 'nonsense', '', `${company.teamId}, ${company.teamId}`];
      if (caller === member) names.push(closed);
      const answers = names.map((name) => inTeam(caller, name).ask.getStatus());
      await assertSameRefusal('403 team_forbidden', answers);
    }
  });

  test('the memory-team header accepts the Team id in upper case', async () => {
    const company = await service.company();
    await addTeam(service, company);
    const headers = { ...company.headers, 'memory-team': company.teamId.toUpperCase() };
    assert.equal((await callerOf(service.app, headers).ask.getStatus()).statusCode, 200);
  });
});
