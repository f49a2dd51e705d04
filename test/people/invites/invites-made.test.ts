import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { recordsNothing } from '../../support/company.ts';
import { expireInvite, makeInvitation, makeInvite, newEmail, outcomeOfJoin } from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
import { assertStablePages } from '../../support/stable-pages.ts';
import { addPerson, addTeam, type Caller } from '../../support/team.ts';

const service = await openTestApp();
const URL = '/v1/team/invites';

const list = (caller: Caller) => caller.all.listInvites();
const withdraw = (caller: Caller, id: string) => caller.ask.revokeInvite(id);

/** One invite of each state, made by an Admin of the Team. */
async function oneOfEach(company: SignedIn) {
  const admin = await addPerson(service, company, { teamRole: 'admin' });
  const make = async (email = newEmail()) => await admin.api.createInvite({ email, role: 'member' });
  const [used, expired, revoked, open] = [await make(), await make(), await make(), await make()];
  assert.equal(await outcomeOfJoin(service, used.token), '201');
  await expireInvite(service, expired.token);
  assert.equal((await withdraw(company, revoked.invite.id)).statusCode, 204);
  return { admin, make, used, expired, revoked, open };
}

describe('GET /v1/team/invites', () => {
  test('returns the state and the maker of each invite, newest first, to callers with Full access', async () => {
    const company = await service.company();
    await makeInvite(service, { ...company, teamId: await addTeam(service, company) });
    await makeInvitation(company);
    const { admin, used, expired, revoked, open } = await oneOfEach(company);
    const granted = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    for (const caller of [company, admin, granted]) {
      assert.deepEqual(
        (await list(caller)).map(({ id, state, createdBy }) => ({ id, state, createdBy })),
        [
          { id: open.invite.id, state: 'open', createdBy: admin.userId },
          { id: revoked.invite.id, state: 'revoked', createdBy: admin.userId },
          { id: expired.invite.id, state: 'expired', createdBy: admin.userId },
          { id: used.invite.id, state: 'used', createdBy: admin.userId },
        ],
      );
    }
  });

  test('returns stable pages while invites are added', async () => {
    const company = await service.company();
    const { make } = await oneOfEach(company);
    await assertStablePages(company, URL, () => make());
  });
});

describe('DELETE /v1/team/invites/:id', () => {
  test('returns 409 for an invite that is used, expired or revoked', async () => {
    const company = await service.company();
    const { used, expired, revoked } = await oneOfEach(company);
    const before = await list(company);
    await recordsNothing(service, company, async () => {
      for (const { invite } of [used, expired, revoked]) {
        assert.equal(outcome(await withdraw(company, invite.id)), '409 conflict', invite.state);
      }
    });
    assert.deepEqual(await list(company), before);
  });
});
