import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPrincipalResetLink } from '../../core/accounts/links.ts';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { type Agent, createAgent, expire } from '../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { addPasswordHolder, newEmail } from '../support/invites.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import {
  addAccount,
  askSession,
  linkToken,
  makeResetLink,
  outcome,
  signInBy,
  useLink,
} from '../support/sign-in.ts';

const service = await openTestApp();

const PASSWORD = 'a password of this test';

describe('POST /v1/auth/reset', () => {
  test('a reset sets the password, creates a session and ends all other sessions of the account', async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    const answer = await useLink(service, token, PASSWORD);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['set-cookie'], undefined);
    const session = answer.json<Session>();
    assert.equal(session.user.id, company.ownerId);
    assert.equal((await askSession(service, session.token)).statusCode, 200);
    assert.equal(outcome(await askSession(service, company.token)), '401 unauthenticated');
    assert.equal((await signInBy(service, company.ownerEmail, PASSWORD)).statusCode, 200);
  });

  test('a refused password leaves the link usable', async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    for (const password of ['eleven char', 'x'.repeat(257), `${PASSWORD}\u0000`]) {
      assert.equal(outcome(await useLink(service, token, password)), '400 invalid_request');
    }
    assert.equal((await useLink(service, token, 'twelve chars')).statusCode, 200);
    assert.equal(outcome(await useLink(service, token, PASSWORD)), '410 token_used');
  });
});

/** An Owner with a password and two agent tokens that can be used, and one that has expired. */
async function addOwnerWithTokens(company: SignedIn) {
  const owner = await addPasswordHolder(service, company, { companyRole: 'owner', teamRole: 'owner' });
  const agents = [await createAgent(service, owner, company), await createAgent(service, owner, company)];
  await expire(service, await createAgent(service, owner, company));
  const { token } = await makeResetLink(service, company, { email: owner.email });
  return { ...owner, agents, link: token };
}

const outcomesOf = (agents: readonly Agent[]) =>
  Promise.all(agents.map(async ({ ask }) => outcome(await ask.getSelectedTeam())));

/** The numbers of tokens that the resets of a person have revoked, by what the events of them say. */
async function revokedBy(company: SignedIn, userId: string) {
  const resets = await company.all.listCompanyAudit({ kind: 'auth.password_reset', subjectId: userId });
  const all = await company.all.listCompanyAudit({ kind: 'auth.token_revoke' });
  const tokens = all.filter(({ actorId }) => actorId === userId);
  assert.ok(tokens.every(({ detail, teamId }) => detail['userId'] === userId && teamId === company.teamId));
  return {
    resets: resets.map(({ detail }) => detail['revokedTokens']),
    reasons: tokens.map(({ detail }) => detail['reason']),
  };
}

describe('the agent tokens of an account whose password is reset', () => {
  test('are revoked, and those of others stay', async () => {
    const company = await service.company();
    const theirs = await createAgent(service, company, company);
    const { userId, agents, link } = await addOwnerWithTokens(company);
    assert.equal(outcome(await useLink(service, link, PASSWORD)), '200');
    assert.deepEqual(await outcomesOf(agents), ['401 unauthenticated', '401 unauthenticated']);
    assert.deepEqual(await outcomesOf([theirs]), ['200']);
    const reasons = ['password_reset', 'password_reset'];
    assert.deepEqual(await revokedBy(company, userId), { resets: [2], reasons });
  });

  test('stay with keepTokens: true, and are revoked with keepTokens: false', async () => {
    const company = await service.company();
    const { userId, email, agents, link } = await addOwnerWithTokens(company);
    assert.equal(outcome(await useLink(service, link, PASSWORD, { keepTokens: true })), '200');
    assert.deepEqual(await outcomesOf(agents), ['200', '200']);
    assert.deepEqual(await revokedBy(company, userId), { resets: [0], reasons: [] });
    const { token } = await makeResetLink(service, company, { email });
    assert.equal(outcome(await useLink(service, token, PASSWORD, { keepTokens: false })), '200');
    assert.deepEqual(await outcomesOf(agents), ['401 unauthenticated', '401 unauthenticated']);
    assert.deepEqual((await revokedBy(company, userId)).resets, [2, 0]);
  });

  test('stay when the account gets its first password, and are revoked when it gets the next', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const first = await makeResetLink(service, company);
    const session = (await useLink(service, first.token, PASSWORD)).json<Session>();
    assert.deepEqual(await outcomesOf([agent]), ['200']);
    const owner = { ...company, headers: { authorization: `Bearer ${session.token}` } };
    const next = await makeResetLink(service, owner as SignedIn);
    assert.equal(outcome(await useLink(service, next.token, PASSWORD)), '200');
    assert.deepEqual(await outcomesOf([agent]), ['401 unauthenticated']);
  });

  test('stay if the reset is refused', async () => {
    const company = await service.company();
    const { email, agents, link } = await addOwnerWithTokens(company);
    assert.equal(outcome(await useLink(service, link, '1qaz2wsx3edc')), '422 password_refused');
    await makeResetLink(service, company, { email });
    assert.equal(outcome(await useLink(service, link, PASSWORD)), '410 token_revoked');
    assert.deepEqual(await outcomesOf(agents), ['200', '200']);
  });
});

const { app, database } = service;

function askLink(company: SignedIn, body: Record<string, unknown> = {}, token = company.token) {
  return app.inject({
    method: 'POST',
    url: '/v1/company/reset-links',
    headers: { authorization: `Bearer ${token}` },
    payload: { teamId: company.teamId, email: company.ownerEmail, ...body },
  });
}

describe('POST /v1/company/reset-links', () => {
  test('only a Company Owner can create reset links, and only for Company Owners and Team Owners', async () => {
    const company = await service.company();
    const other = await service.company();
    const teamOwner = { userId: newId(), email: `team-owner-${newId()}@example.com`, role: 'member' };
    const teamAdmin = { userId: newId(), email: `team-admin-${newId()}@example.com`, role: 'admin' };
    await addAccount(service, company, { ...teamOwner, teamRole: 'owner' });
    await addAccount(service, company, { ...teamAdmin, teamRole: 'admin' });
    assert.equal(outcome(await askLink(company)), '201');
    assert.equal(outcome(await askLink(company, { email: ` ${teamOwner.email.toUpperCase()} ` })), '201');
    for (const body of [
      { email: teamAdmin.email },
      { email: other.ownerEmail },
      { email: `nobody-${newId()}@example.com` },
      { teamId: other.teamId },
      { teamId: newId() },
      { teamId: 'no id at all' },
    ]) {
      assert.equal(outcome(await askLink(company, body)), '404 not_found', JSON.stringify(body));
    }
    for (const { userId } of [teamOwner, teamAdmin]) {
      const token = await service.signIn(company.companyId, userId);
      assert.equal(outcome(await askLink(company, {}, token)), '403 company_role_required');
    }
  });

  test('a reset link has the address of baseUrl, and without it the loopback address', async () => {
    const company = await service.company();
    const { url, expiresAt } = await makeResetLink(service, company);
    assert.match(url, new RegExp(`^http://127\\.0\\.0\\.1:${service.config.port}/reset#token=[\\w-]{43}$`));
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
    assert.ok(minutes > 58 && minutes <= 60.1, `${minutes} minutes`);
    for (const [baseUrl, start] of [
      ['https://memory.example.com', 'https://memory.example.com/reset#token='],
      ['http://10.0.0.7:8080/team/', 'http://10.0.0.7:8080/team/reset#token='],
    ] as const) {
      const made = await makeResetLink(service, company, { baseUrl });
      assert.ok(made.url.startsWith(start), made.url);
    }
    for (const baseUrl of [
      '',
      '/here',
      'memory.example.com',
      'ftp://example.com',
      'javascript:alert(1)',
      'https:x',
    ]) {
      assert.equal(outcome(await askLink(company, { baseUrl })), '400 invalid_request', baseUrl);
    }
    for (const baseUrl of ['https://example.com/?a=b', 'https://example.com/#a', 'https://a@example.com']) {
      assert.equal(outcome(await askLink(company, { baseUrl })), '400 invalid_request', baseUrl);
    }
  });

  test('a link has the address of identityUrl, then publicUrl, and never of the Host header', async () => {
    const company = await service.company();
    for (const [addresses, base] of [
      [{ publicUrl: 'https://api.example.com' }, 'https://api.example.com'],
      [
        { publicUrl: 'https://api.example.com', identityUrl: 'https://id.example.com' },
        'https://id.example.com',
      ],
    ] as const) {
      const configured = await buildTestedApp({ ...service, config: { ...service.config, ...addresses } });
      const caller = via({ app: configured }, company.with({ host: 'evil.example.com' }));
      const { teamId, ownerEmail: email } = company;
      const reset = await caller.api.createOwnerResetLink({ teamId, email });
      const invite = await caller.api.createInvite({ email: newEmail(), role: 'member' });
      await configured.close();
      assert.ok(reset.url.startsWith(`${base}/reset#token=`), reset.url);
      assert.ok(invite.url.startsWith(`${base}/join#token=`), invite.url);
    }
  });

  test('a new reset link revokes the earlier open link of the same account only', async () => {
    const company = await service.company();
    const second = { userId: newId(), email: `second-${newId()}@example.com`, role: 'owner' };
    await addAccount(service, company, second);
    const first = await makeResetLink(service, company);
    const theirs = await makeResetLink(service, company, { email: second.email });
    const newer = await makeResetLink(service, company);
    assert.equal(outcome(await useLink(service, first.token, PASSWORD)), '410 token_revoked');
    assert.equal(outcome(await useLink(service, theirs.token, PASSWORD)), '200');
    assert.equal(outcome(await useLink(service, newer.token, PASSWORD)), '200');
  });

  test('a reset link made at start-up sets the password of the server principal', async () => {
    const company = await service.company();
    const link = await createPrincipalResetLink(
      { database, config: { identityUrl: null, publicUrl: null } },
      { userId: company.ownerId, companyId: company.companyId },
      'http://127.0.0.1:4711',
    );
    assert.ok(link.url.startsWith('http://127.0.0.1:4711/reset#token='), link.url);
    const answer = await useLink(service, linkToken(link.url), PASSWORD);
    assert.equal(answer.json<Session>().user.email, company.ownerEmail);
  });
});
