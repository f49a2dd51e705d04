import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Invite } from '../../../shared/schemas/people.ts';
import { hashToken } from '../../../shared/tokens.ts';
import { openTestApp } from '../../support/app.ts';
import {
  accept,
  givePassword,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
} from '../../support/invites.ts';
import { addAccount, makeResetLink, outcome, useLink } from '../../support/sign-in.ts';
import { withoutRequestId } from '../../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** Asks what a link is for, without a session. */
const askLink = (token: string) =>
  service.app.inject({ method: 'POST', url: '/v1/auth/link', payload: { token } });

const name = (table: string, id: string, to: string) =>
  database.query(`update identity.${table} set name = $2 where id = $1`, [id, to]);

describe('POST /v1/auth/link', () => {
  test('returns the kind, Company, Team and email of a link to anyone with its token', async () => {
    const company = await service.company();
    await name('company', company.companyId, 'Acme');
    await name('team', company.teamId, 'Support');
    await name('account', company.ownerId, 'Olive Owner');
    const invite = await makeInvite(service, company);
    const invitation = await makeInvitation(company);
    const reset = await makeResetLink(service, company);
    const common = { company: 'Acme', role: null, team: null, invitedBy: 'Olive Owner', hasAccount: false };
    const invited = (kind: string, { email, role, expiresAt }: Invite) => ({
      ...common,
      kind,
      email,
      role,
      expiresAt,
    });
    const byNobody = { email: company.ownerEmail, invitedBy: null, hasAccount: true };
    for (const [token, expected] of [
      [invite.token, { ...invited('invite', invite.invite), team: 'Support' }],
      [invitation.token, invited('invitation', invitation.invite)],
      [reset.token, { ...common, kind: 'reset', ...byNobody, expiresAt: reset.expiresAt }],
    ] as const) {
      const answer = await askLink(token);
      assert.deepEqual([answer.statusCode, answer.json()], [200, expected]);
    }
    // Asking has used none of them.
    assert.equal(outcome(await join(service, { token: invite.token })), '201');
    assert.equal(outcome(await accept(service, { token: invitation.token })), '201');
    assert.equal(outcome(await useLink(service, reset.token, PASSWORD)), '200');
  });

  test('returns hasAccount for an account of the Company, which needs its current password', async () => {
    const [company, other] = [await service.company(), await service.company()];
    for (const [home, hasAccount, joined] of [
      [company, true, '401 invalid_credentials'],
      [other, false, '201'],
    ] as const) {
      const [userId, email] = [newId(), newEmail()];
      await addAccount(service, home, { userId, email, role: 'member' });
      await givePassword(service, userId, PASSWORD);
      const { token } = await makeInvite(service, company, { email });
      assert.equal((await askLink(token)).json<{ hasAccount: boolean }>().hasAccount, hasAccount);
      assert.equal(outcome(await join(service, { token, password: 'not its password' })), joined);
    }
  });

  test('rejects a token that is used, expired, revoked, unknown or of a closed account', async () => {
    const company = await service.company();
    const [used, expired, revoked] = [
      await makeInvite(service, company),
      await makeInvitation(company),
      await makeResetLink(service, company),
    ];
    await join(service, { token: used.token });
    await database.query('update identity.invite set expires_at = now() where token_hash = $1', [
      hashToken(expired.token),
    ]);
    const closed = await makeResetLink(service, company);
    assert.equal(outcome(await askLink(used.token)), '410 token_used');
    assert.equal(outcome(await askLink(expired.token)), '410 token_expired');
    assert.equal(outcome(await askLink(revoked.token)), '410 token_revoked');
    assert.equal(outcome(await askLink(closed.token)), '200');
    await database.query('update identity.account set closed_at = now() where id = $1', [company.ownerId]);
    const [gone, unknown] = [await askLink(closed.token), await askLink('of-no-worth')];
    assert.equal(outcome(gone), '404 not_found');
    assert.equal(withoutRequestId(gone.body), withoutRequestId(unknown.body));
    assert.equal(outcome(await askLink('x'.repeat(301))), '400 invalid_request');
  });
});
