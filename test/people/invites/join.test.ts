import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import type { Session } from '../../../shared/schemas/accounts.ts';
import { hashToken } from '../../../shared/tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import {
  accept,
  accessToClient,
  addPasswordHolder,
  countGiven,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
  REACHES_NOTHING,
  READS,
  WRITES,
} from '../../support/invites.ts';
import { assertSameRefusal } from '../../support/refusals.ts';
import { askSession, outcome, signInBy } from '../../support/sign-in.ts';
import { addClient } from '../../support/team.ts';

const service = await openTestApp();
const { app, database } = service;

const counts = (company: SignedIn) => countGiven(service, company);

describe('POST /v1/auth/join with an email without an account', () => {
  test('creates an account with the name and password, adds it to the Team and signs in', async () => {
    const company = await service.company();
    const { token, invite } = await makeInvite(service, company);
    const name = 'Zoë Ångström 山田';
    const answer = await join(service, { token, name });
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['set-cookie'], undefined);
    const { token: session, expiresAt, user, ...rest } = answer.json<Session>();
    assert.deepEqual({ email: user.email, name: user.name }, { email: invite.email, name });
    assert.deepEqual(rest, {
      company: { id: company.companyId, name: 'Test Company', role: 'member' },
      teams: [{ id: company.teamId, name: 'Test Team', state: 'active', role: 'member', access: 'member' }],
    });
    assert.deepEqual((await askSession(service, session)).json(), { expiresAt, user, ...rest });
    const login = await signInBy(service, invite.email, PASSWORD);
    assert.equal(login.json<Session>().user.id, user.id);
    assert.equal(outcome(await signInBy(service, invite.email, `${PASSWORD}!`)), '401 invalid_credentials');
  });

  test('normalizes the invited email', async () => {
    const company = await service.company();
    // The second begins with a letter that has one code point in lower case, and two in upper case.
    for (const email of [newEmail(), `\u01f0${newEmail()}`]) {
      const { token, invite } = await makeInvite(service, company, { email: `  ${email.toUpperCase()} ` });
      assert.equal(invite.email, email);
      const { user } = (await join(service, { token })).json<Session>();
      assert.equal(user.email, email);
      assert.equal(outcome(await signInBy(service, email, PASSWORD)), '200');
      assert.equal(outcome(await signInBy(service, ` ${email.toUpperCase()}`, PASSWORD)), '200');
    }
  });

  test('gives only the grants of the invite', async () => {
    const company = await service.company();
    const [read, written, neither] = [
      await addClient(service, company),
      await addClient(service, company),
      await addClient(service, company),
    ];
    const grants = [
      { clientId: read, access: 'read' as const },
      { clientId: written, access: 'write' as const },
    ];
    const { token } = await makeInvite(service, company, { grants });
    const session = (await join(service, { token })).json<Session>();
    const [joined] = await company.all.listTeamAudit({ kind: 'auth.join' });
    assert.deepEqual(joined?.detail['grants'], grants);
    assert.deepEqual(await accessToClient(service, company, session.token, read), READS);
    assert.deepEqual(await accessToClient(service, company, session.token, written), WRITES);
    assert.deepEqual(await accessToClient(service, company, session.token, neither), REACHES_NOTHING);
  });

  test('skips the grant on a client that has been archived', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { token } = await makeInvite(service, company, { grants: [{ clientId, access: 'write' }] });
    await database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    assert.equal(outcome(await join(service, { token })), '201');
    assert.equal((await counts(company))['grants'], 0);
  });

  test('joins with the invited email even if the request has the session of another account', async () => {
    const company = await service.company();
    for (const authorization of ['Bearer of-no-worth', 'nonsense', company.headers.authorization]) {
      const { token, invite } = await makeInvite(service, company);
      const answer = await app.inject({
        method: 'POST',
        url: '/v1/auth/join',
        headers: { authorization, 'memory-team': newId() },
        payload: { token, name: 'A newcomer', password: PASSWORD },
      });
      assert.equal(outcome(answer), '201', authorization);
      assert.equal(answer.json<Session>().user.email, invite.email);
    }
    assert.equal((await askSession(service, company.token)).statusCode, 200);
  });
});

describe('an invite that cannot be accepted', () => {
  test('a token that is unknown or of another kind returns the same 404', async () => {
    const company = await service.company();
    const invite = await makeInvite(service, company);
    const invitation = await makeInvitation(company);
    const password = PASSWORD;
    const before = await counts(company);
    const answers = await Promise.all([
      join(service, { token: invitation.token, password }),
      accept(service, { token: invite.token, password }),
      join(service, { token: 'of-no-worth', password }),
      accept(service, { token: 'of-no-worth', password }),
      // The hash that is stored is no token.
      join(service, { token: hashToken(invite.token).toString('hex'), password }),
      join(service, { token: company.token, password }),
    ]);
    await assertSameRefusal('404 not_found', answers);
    assert.deepEqual(await counts(company), before);
    assert.equal(outcome(await join(service, { token: invite.token, password })), '201');
    assert.equal(outcome(await accept(service, { token: invitation.token, password })), '201');
  });
});

describe('POST /v1/auth/join with an invalid body', () => {
  test('returns the same 400 for a short password, with or without an account', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const tokens = [
      (await makeInvite(service, company)).token,
      (await makeInvite(service, company, { email: person.email })).token,
      'of-no-worth',
    ];
    await assertSameRefusal(
      '400 invalid_request',
      tokens.map((token) => join(service, { token, password: 'eleven char' })),
    );
  });
});
