import { hashToken } from '../../shared/tokens.ts';
import type { SignedIn, TestApp } from '../support/app.ts';
import { accept, expireInvite, join, makeInvitation, makeInvite, newEmail } from '../support/invites.ts';
import { makeResetLink, useLink } from '../support/sign-in.ts';

interface Link {
  token: string;
  url: string;
  /** Of the person whom it is for. */
  email: string;
}

/** A page that a one-time link leads to. */
export interface LinkPage {
  name: 'join' | 'accept' | 'reset';
  title: string;
  button: string;
  done: string;
  /** The name that is typed, where the page asks for one. */
  asks: string | undefined;
  /** What the page says about the link, and which of it are names. */
  says: RegExp;
  names: (email: string) => string[];
  /** What it shows in the end, and the roles in the Company and in its Teams. */
  shows: string[];
  roles: string[];
  /** How a person gets another link. */
  advises: RegExp;
  /** Makes a link, which revokes an earlier one for the same person. */
  make: (company: SignedIn, email?: string) => Promise<Link>;
  use: (token: string, password: string) => Promise<{ statusCode: number }>;
  expire: (token: string) => Promise<unknown>;
}

/** The pages that the links of a service lead to. */
export function linkPages(service: TestApp): LinkPage[] {
  const invite = {
    asks: 'Noor Haddad',
    advises: /the person who invited you/,
    expire: (token: string) => expireInvite(service, token),
  };
  return [
    {
      ...invite,
      name: 'join',
      title: 'Join your Team',
      button: 'Join the Team',
      done: 'You have joined the Team',
      says: /^Owner invites you to the Team Test Team of Test Company\. The link is for \S+\. Your name and a password /,
      names: (email) => ['Owner', 'Test Team', 'Test Company', email],
      shows: ['Company Member', 'Test Team: Team Member, member access'],
      roles: ['member', 'member'],
      make: async (company, email = newEmail()) => ({
        ...(await makeInvite(service, company, { email })),
        email,
      }),
      use: (token, password) => join(service, { token, password }),
    },
    {
      ...invite,
      name: 'accept',
      title: 'Become a Company Admin',
      button: 'Accept the invitation',
      done: 'You have accepted the invitation',
      says: /^Owner invites you to help run the Company Test Company as its Admin\. The link is for \S+\. Your name /,
      names: (email) => ['Owner', 'Test Company', email],
      shows: ['Company Admin', 'None is open to you yet'],
      roles: ['admin'],
      make: async (company, email = newEmail()) => ({ ...(await makeInvitation(company, { email })), email }),
      use: (token, password) => accept(service, { token, password }),
    },
    {
      name: 'reset',
      title: 'Set your password',
      button: 'Set password',
      done: 'Your password is set',
      asks: undefined,
      says: /^For \S+ in the Company Test Company\.$/,
      names: (email) => [email, 'Test Company'],
      shows: ['Company Owner', 'Test Team: Team Owner, full access'],
      roles: ['owner', 'owner'],
      advises: /the command owner-reset-link makes one/,
      make: async (company) => ({ ...(await makeResetLink(service, company)), email: company.ownerEmail }),
      use: (token, password) => useLink(service, token, password),
      expire: (token) =>
        service.database.query('update identity.reset_link set expires_at = now() where token_hash = $1', [
          hashToken(token),
        ]),
    },
  ];
}
