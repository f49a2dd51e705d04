import { runCommand } from '../../core/access/run-command.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import { type IssuedInvite, issueInvite } from '../../core/people/invites.ts';
import { newId } from '../../shared/ids.ts';
import type { Invite } from '../../shared/schemas/people.ts';
import { companyScope } from '../../shared/scope.ts';
import { hashToken } from '../../shared/tokens.ts';
import type { SignedIn, TestApp } from './app.ts';
import { callerOf } from './client/client.ts';
import type { TestCompany } from './needs/database.ts';
import { outcome } from './sign-in.ts';
import { addPerson, type Person, type Ties } from './team.ts';

/** What a test says of an invite; the rest is as most of them have it. */
export interface InviteWish {
  /** One that no account has, where it is left out. */
  email?: string;
  role?: Invite['role'];
  grants?: Invite['grants'];
  teamId?: string;
  expiresInHours?: number;
}

/** An email of no account. */
export function newEmail(): string {
  return `newcomer-${newId()}@example.com`;
}

/** Makes an invite into a Team of the Company as its Owner. One for a Team Owner comes with a new Team alone. */
export async function makeInvite(
  service: Pick<TestApp, 'app' | 'config' | 'database' | 'queue'>,
  company: SignedIn,
  wish: InviteWish = {},
): Promise<IssuedInvite> {
  const { email = newEmail(), role = 'member', teamId = company.teamId, ...rest } = wish;
  if (role === 'owner') {
    const { companyId, ownerId: userId } = company;
    const draft = { teamId, email, role, base: 'http://127.0.0.1:8787', ...rest };
    return runCommand(service.database, companyScope({ companyId, userId }), {
      lock: async () => {},
      apply: (tx) => issueInvite(tx, draft, service),
    });
  }
  const headers = { ...company.headers, 'memory-team': teamId };
  return await callerOf(service.app, headers).api.createInvite({ email, role, ...rest });
}

/** Makes the invitation to become an Admin of the Company, as its Owner. */
export async function makeInvitation(
  company: SignedIn,
  { email = newEmail(), ...rest }: Pick<InviteWish, 'email' | 'expiresInHours'> = {},
): Promise<IssuedInvite> {
  const { invitation, ...issued } = await company.api.createInvitation({ email, ...rest });
  return { invite: invitation, ...issued };
}

/** The password of everyone who is not given another. */
export const PASSWORD = 'a password of this test';

/** What a newcomer sends. */
export interface Newcomer {
  token: string;
  name?: string;
  password?: string;
}

function acceptOnce(url: string) {
  return ({ app }: Pick<TestApp, 'app'>, { name = 'A newcomer', password = PASSWORD, token }: Newcomer) =>
    app.inject({ method: 'POST', url, payload: { name, password, token } });
}

/** Takes up an invite into a Team. */
export const join = acceptOnce('/v1/auth/join');

/** Joins with an invite, and returns the outcome. */
export async function outcomeOfJoin(service: Pick<TestApp, 'app'>, token: string): Promise<string> {
  return outcome(await join(service, { token }));
}

/** Takes up the invitation of a Company. */
export const accept = acceptOnce('/v1/company/invitations/accept');

/** Has an invite or an invitation end now, by its time. */
export async function expireInvite({ database }: Pick<TestApp, 'database'>, token: string): Promise<void> {
  await database.query('update identity.invite set expires_at = now() where token_hash = $1', [
    hashToken(token),
  ]);
}

/** Sets the password of an account by hand. */
export async function givePassword(
  { database, passwords }: Pick<TestApp & Dependencies, 'database' | 'passwords'>,
  userId: string,
  password: string,
): Promise<void> {
  await database.query('update identity.account set password_hash = $2 where id = $1', [
    userId,
    await passwords.hash(password),
  ]);
}

/** Someone of the Company who can sign in by a password as well. */
export interface PasswordHolder extends Person {
  email: string;
}

/** Makes an account of the Company with these ties and a password, signed in. */
export async function addPasswordHolder(
  service: Pick<TestApp & Dependencies, 'app' | 'database' | 'passwords' | 'signIn'>,
  company: TestCompany,
  ties: Ties,
  password = PASSWORD,
): Promise<PasswordHolder> {
  const person = await addPerson(service, company, ties);
  await givePassword(service, person.userId, password);
  return { ...person, email: `person-${person.userId}@example.com` };
}

/** What someone may do with a client: ask for what is there, and add to it. */
export async function accessToClient(
  service: Pick<TestApp, 'app'>,
  company: TestCompany,
  token: string,
  clientId: string,
): Promise<string[]> {
  const caller = callerOf(service.app, { authorization: `Bearer ${token}`, 'memory-team': company.teamId });
  const scope = { clientId };
  return [
    outcome(await caller.ask.expandChunk({ chunkId: newId(), scope })),
    outcome(await caller.ask.ingestSource({ title: 'x', text: 'x', scope })),
  ];
}
export const READS = ['200', '403 scope_forbidden'];
export const WRITES = ['200', '201'];
export const REACHES_NOTHING = ['403 scope_forbidden', '403 scope_forbidden'];

/** Counts the records of a Company that tokens create, and its unused tokens. */
export async function countGiven(
  { database }: Pick<TestApp, 'database'>,
  { companyId }: TestCompany,
): Promise<Record<string, number>> {
  const [row] = await database.query<Record<string, number>>(
    `select (select count(*) from identity.account where company_id = $1) as accounts,
            (select count(*) from identity.team_member where company_id = $1) as members,
            (select count(*) from identity.client_grant where company_id = $1) as grants,
            (select count(*) from identity.session where company_id = $1) as sessions,
            (select count(*) from identity.invite where company_id = $1 and used_at is null) as unused,
            (select count(*) from memory.audit_event
              where company_id = $1 and kind in ('auth.join', 'company.accept')) as events`,
    [companyId],
  );
  return row ?? {};
}
