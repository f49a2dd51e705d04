import { type Static, Type } from 'typebox';
import {
  Body,
  Email,
  Id,
  LinkToken,
  NewPassword,
  Nullable,
  OneOf,
  Password,
  Problem,
  Role,
  State,
  Time,
  Verified,
  VisibleName,
} from './common.ts';
import { Permissions, TokenClients } from './tokens.ts';

export const DEFAULT_RESET_LINK_SECONDS = 3600;

const sessionFields = {
  expiresAt: Type.Union([Time, Type.Null()], { description: 'null for the service token' }),
  user: Type.Object({ id: Id, email: Type.String(), name: Type.String(), verified: Verified }),
  company: Type.Object({ id: Id, name: Type.String(), role: Role }),
  teams: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      state: State,
      role: Nullable(Role),
      access: OneOf(['full', 'member', 'read']),
    }),
  ),
};

/** The signed-in user, the Company, and the Teams with the access that the user has there. */
export const SessionInfo = Type.Object({
  ...sessionFields,
  permissions: Type.Optional({
    ...Permissions,
    description: 'only for an agent token: what it permits in its Team',
  }),
  agentToken: Type.Optional(
    Type.Object(
      { id: Id, name: Type.String(), clientIds: TokenClients },
      { description: 'only for an agent token' },
    ),
  ),
});
/** A new session. Its token is shown only here. */
export const Session = Type.Object({
  token: Type.Optional(
    Type.String({ description: 'absent if the request has `cookie: true`: the token is then in the cookie' }),
  ),
  ...sessionFields,
});
export type SessionInfo = Static<typeof SessionInfo>;
/** A new session with its token. */
export type Session = Required<Static<typeof Session>>;

/** One of the caller's own sessions, in the list of sessions. */
export const SessionRecord = Type.Object({
  id: Id,
  current: Type.Boolean({ description: 'whether the request was sent with the token of this session' }),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
  userAgent: Nullable(Type.String()),
});
export type SessionRecord = Static<typeof SessionRecord>;

const InCookie = Type.Optional(
  Type.Boolean({
    description:
      'for the console: sets a cookie in place of the token in the answer; requires the header `Memory-Console: 1`',
  }),
);
export const LoginRequest = Body({
  email: Email,
  password: Password,
  companyId: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'the Company of the account, for an email and a password that sign in to several',
    }),
  ),
  cookie: InCookie,
});
/** The 409 of a sign-in: the Companies whose accounts the password signs in to. */
export const CompanyRequired = Type.Intersect([
  Problem,
  Type.Object({
    companies: Type.Array(Type.Object({ id: Id, name: Type.String() }), {
      description: 'repeat the request with the id of one of them as `companyId`',
    }),
  }),
]);
/** How people can sign in. */
export const SignInOptions = Type.Object({
  mail: Type.Boolean({ description: 'whether the service sends mail' }),
  severalCompanies: Type.Boolean({ description: 'whether the service has more than one Company' }),
});
export type SignInOptions = Static<typeof SignInOptions>;
export const LogoutRequest = Body({ everywhere: Type.Optional(Type.Boolean()) });
export const ResetRequest = Body({
  token: LinkToken,
  newPassword: NewPassword,
  keepTokens: Type.Optional(
    Type.Boolean({
      description:
        'keeps the agent tokens of the account, which are revoked otherwise, unless the account never had a password',
    }),
  ),
  cookie: InCookie,
});
export const ForgotRequest = Body({ email: Email });
export const LinkRequest = Body({ token: LinkToken });
/** The purpose of a one-time link. */
export const Link = Type.Object({
  kind: OneOf(['invite', 'invitation', 'reset']),
  email: Type.String({ description: 'email of the account that the link creates or changes' }),
  company: Type.String({ description: 'name of the Company' }),
  role: Nullable(Role, 'that the link gives; null for a reset link'),
  team: Nullable(Type.String({ description: 'name of the Team; null unless the link is an invite' })),
  invitedBy: Nullable(
    Type.String({ description: 'name of the person who made the invite; null for a reset link' }),
  ),
  hasAccount: Type.Boolean({
    description:
      'whether the email has an account of the Company; accepting an invite then requires its current password',
  }),
  expiresAt: Time,
});
export type Link = Static<typeof Link>;
export const PasswordRequest = Body({ currentPassword: Password, newPassword: NewPassword });
/** Accepts an invite or an invitation. */
export const JoinRequest = Body(
  {
    token: LinkToken,
    name: Type.Optional(VisibleName),
    password: Type.Optional(NewPassword),
    cookie: InCookie,
  },
  'with a password, name is required; without one, the session accepts and token is the only field',
);
export type JoinRequest = Static<typeof JoinRequest>;

const BaseUrl = Type.Optional(
  Type.String({ maxLength: 2048, description: 'absolute address, http or https, that the link begins with' }),
);
const TtlSeconds = Type.Optional(
  Type.Integer({ minimum: 60, maximum: 86_400, default: DEFAULT_RESET_LINK_SECONDS }),
);
const linkFields = { baseUrl: BaseUrl, ttlSeconds: TtlSeconds };
export const ResetLinkRequest = Body({ teamId: Type.String(), email: Email, ...linkFields });
export const MemberResetLinkRequest = Body(linkFields);
export const ResetLink = Type.Object({ url: Type.String(), expiresAt: Time });

export const Account = Type.Object({ id: Id, name: Type.String(), email: Type.String() });
export type Account = Static<typeof Account>;
export const AccountRequest = Body(
  {
    name: Type.Optional(VisibleName),
    email: Type.Optional(Email),
    password: Type.Optional({ ...Password, description: 'your password; required with email' }),
  },
  'at least one of name and email',
);
export type AccountRequest = Static<typeof AccountRequest>;
