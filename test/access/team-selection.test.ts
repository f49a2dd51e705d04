import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { callerOf } from '../support/client/client.ts';
import { lend } from '../support/consolidation.ts';
import { addMemory, expand } from '../support/memories.ts';
import { assertSameRefusal } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addSource, readSource } from '../support/source-library.ts';
import { addPerson, addTeam, archiveTeam, inTeam, readStatus } from '../support/team.ts';

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

  test('returns 403 for a member on the first request after the role is deleted', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    assert.equal((await member.ask.getStatus()).statusCode, 200);
    await service.database.query('delete from identity.team_member where user_id = $1', [member.userId]);
    assert.equal(outcome(await member.ask.getStatus()), '403 team_forbidden');
  });
});

test('an archived Team answers reads', async () => {
  const company = await service.company();
  const source = await addSource(company);
  await addMemory(company, 'published');
  await lend(company);
  await stageCapture(company);
  await archiveTeam(service, company.teamId);
  const { sources, captures, memories } = await readStatus(company);
  assert.deepEqual([sources.active, memories.published], [2, 1]);
  assert.deepEqual(captures, { staged: 1, claimed: 1, completed: 1 });
  const lists = ['imports', 'sources', 'memories', 'consolidation/batches', 'audit', `sources/${source.id}`];
  for (const list of lists) {
    assert.equal((await company.send('GET', `/v1/memory/${list}`)).statusCode, 200, list);
  }
  const [chunk] = (await readSource(company, source.id)).chunks;
  assert.equal((await expand(company, chunk!.chunk_id)).length, 1);
});
