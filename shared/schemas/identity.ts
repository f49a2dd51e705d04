import { type Static, Type } from 'typebox';
import { PERMISSION_NAMES, PERMISSIONS } from '../permissions.ts';
import { PUBLISH_RULES, REDACTION_MODES } from '../settings/team-settings.ts';
import { Body, Id, MAX_REASON, Nullable, OneOf, Redactions, Text, Time, VisibleName } from './common.ts';
import { teamQuota, teamStorage } from './status.ts';

export const DEFAULT_RESET_LINK_SECONDS = 3600;
export const DEFAULT_INVITE_HOURS = 168;
export const DEFAULT_TOKEN_DAYS = 90;

const Role = OneOf(['owner', 'admin', 'member']);
const State = OneOf(['active', 'archived']);
const TeamAccess = OneOf(['full', 'read']);
const ClientAccess = OneOf(['read', 'write']);
const Email = Text(300, 'trimmed; case is ignored');
/** Also for the password of an account that may already exist: no stored password is shorter. */
const NewPassword = Type.String({ minLength: 12, maxLength: 256 });
/** A password to check. It has no lower bound: the answer to a short wrong password must not differ from the others. */
const Password = Type.String({ minLength: 1, maxLength: 256 });
const LinkToken = Type.String({ minLength: 1, maxLength: 300 });

const Permissions = Type.Array(OneOf(PERMISSION_NAMES), {
  description: Object.entries(PERMISSIONS)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n'),
});
const TokenClients = Nullable(
  Type.Array(Id),
  'the clients that the token is limited to, in addition to the Team layer; null: all that its owner can reach',
);

const sessionFields = {
  expiresAt: Type.Union([Time, Type.Null()], { description: 'null for the service token' }),
  user: Type.Object({ id: Id, email: Type.String(), name: Type.String() }),
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
export const Session = Type.Object({ token: Type.String(), ...sessionFields });
export type SessionInfo = Static<typeof SessionInfo>;
export type Session = Static<typeof Session>;

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

export const LoginRequest = Body({ email: Email, password: Password });
export const LogoutRequest = Body({ everywhere: Type.Optional(Type.Boolean()) });
export const ResetRequest = Body({ token: LinkToken, newPassword: NewPassword });
export const LinkRequest = Body({ token: LinkToken });
/** The purpose of a one-time link. */
export const Link = Type.Object({
  kind: OneOf(['invite', 'invitation', 'reset']),
  email: Type.String({ description: 'email of the account that the link creates or changes' }),
  company: Type.String({ description: 'name of the Company' }),
  team: Nullable(Type.String({ description: 'name of the Team; null unless the link is an invite' })),
  invitedBy: Nullable(
    Type.String({ description: 'name of the person who made the invite; null for a reset link' }),
  ),
  hasAccount: Type.Boolean({
    description: 'whether the email has an account; accepting an invite then requires its current password',
  }),
  expiresAt: Time,
});
export type Link = Static<typeof Link>;
export const PasswordRequest = Body({ currentPassword: Password, newPassword: NewPassword });
/** Accepts an invite or an invitation. */
export const JoinRequest = Body({ token: LinkToken, name: VisibleName, password: NewPassword });

/** An agent token, without its secret. */
export const Token = Type.Object({
  id: Id,
  name: Type.String(),
  userId: { ...Id, description: 'its owner' },
  teamId: Id,
  clientIds: TokenClients,
  permissions: Permissions,
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: Nullable(Time, 'written at most once a minute'),
  lastUsedFrom: Nullable(Type.String(), 'the address of the caller at that time'),
  state: OneOf(['active', 'expired', 'revoked']),
});
export type Token = Static<typeof Token>;
export const TokenRequest = Body({
  name: VisibleName,
  teamId: Type.String(),
  clientIds: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 1000,
      description:
        'limits the token to the Team layer and these clients; absent: all clients that you can reach',
    }),
  ),
  permissions: { ...Permissions, minItems: 1, uniqueItems: true },
  expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: DEFAULT_TOKEN_DAYS })),
});
export const RotateTokenRequest = Body({
  overlapHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 72,
      default: 0,
      description: 'how long the old secret can still be used',
    }),
  ),
});
/** A token with its text, which is shown only here. */
export const IssuedToken = Type.Object({ record: Token, token: Type.String() });
export type IssuedToken = Static<typeof IssuedToken>;

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

export const Company = Type.Object({ id: Id, name: Type.String(), role: Role });
export type Company = Static<typeof Company>;

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

export const Member = Type.Object({
  userId: Id,
  email: Type.String(),
  name: Type.String(),
  role: Role,
  createdAt: Time,
});
export type Member = Static<typeof Member>;
/** An erased person: the id, which stays the `createdBy` of records, and a pseudonym as the name. */
export const ErasedMember = Type.Object({ userId: Id, name: Type.String(), erasedAt: Time });
export type ErasedMember = Static<typeof ErasedMember>;
export const RoleRequest = Body({ role: Role });

export const Team = Type.Object({ id: Id, name: Type.String(), state: State, createdAt: Time, ...teamQuota });
export type Team = Static<typeof Team>;
export const NameRequest = Body({ name: VisibleName });

const PublishRule = OneOf(
  [...PUBLISH_RULES],
  'who can publish a consolidated memory. review: without Full access, it waits for a decision',
);
const TeamRedaction = Nullable(
  OneOf([...REDACTION_MODES]),
  'what is done about credentials in new text, if this is stricter than the setting of the deployment',
);
export const TeamChange = Body(
  {
    name: Type.Optional(VisibleName),
    publish: Type.Optional(PublishRule),
    redaction: Type.Optional(TeamRedaction),
  },
  'at least one field',
);

/** The selected Team, as the caller sees it. */
export const SelectedTeam = Type.Object({
  id: Id,
  name: Type.String(),
  state: State,
  role: Nullable(Role),
  access: OneOf(['full', 'member', 'read']),
  clients: Type.Integer({ description: 'number of clients that the caller can read' }),
  members: Type.Integer(),
  publish: PublishRule,
  redaction: TeamRedaction,
  ...teamStorage,
});
export type SelectedTeam = Static<typeof SelectedTeam>;

export const Client = Type.Object({
  id: Id,
  name: Type.String(),
  state: State,
  access: ClientAccess,
  createdAt: Time,
});
export type Client = Static<typeof Client>;
export const ClientChange = Body(
  {
    name: Type.Optional(VisibleName),
    state: Type.Optional(OneOf(['active'], 'restores an archived client')),
  },
  'at least one of name and state',
);

/** A grant on a client that an invite gives in addition to the role. */
const InviteGrant = { clientId: Type.String(), access: ClientAccess };
export const Invite = Type.Object({
  id: Id,
  email: Type.String(),
  role: Role,
  grants: Type.Array(Type.Object(InviteGrant)),
  state: OneOf(['open', 'used', 'expired', 'revoked']),
  expiresAt: Time,
  createdBy: Id,
  createdAt: Time,
});
export type Invite = Static<typeof Invite>;
/** An invite to become a Company Admin. */
export const Invitation = Type.Object(Invite.properties);

const ExpiresInHours = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 720, default: DEFAULT_INVITE_HOURS }),
);
export const InviteRequest = Body({
  email: Email,
  role: OneOf(['admin', 'member']),
  grants: Type.Optional(Type.Array(Body(InviteGrant), { maxItems: 200 })),
  expiresInHours: ExpiresInHours,
});
export type InviteRequest = Static<typeof InviteRequest>;
export const CompanyInviteRequest = Body({ email: Email, expiresInHours: ExpiresInHours });

const issued = {
  token: Type.String(),
  url: Type.String({ description: 'contains the token; shown only once' }),
};
export const IssuedInvite = Type.Object({ invite: Invite, ...issued });
export const IssuedCompanyInvite = Type.Object({ invitation: Invitation, ...issued });
/** A new Team. The invite is null unless its Owner is invited. */
export const NewTeam = Type.Object({
  team: Team,
  invite: Nullable(Invite),
  token: Nullable(Type.String()),
  url: Nullable(Type.String()),
});

export const ClientGrant = Type.Object({ userId: Id, clientId: Id, access: ClientAccess, createdAt: Time });
export type ClientGrant = Static<typeof ClientGrant>;
export const ClientGrantRequest = Body({ access: ClientAccess });
export const CompanyGrant = Type.Object({ userId: Id, teamId: Id, access: TeamAccess, createdAt: Time });
export type CompanyGrant = Static<typeof CompanyGrant>;
export const CompanyGrantRequest = Body({ access: TeamAccess });

export const AccessRequest = Type.Object({
  id: Id,
  userId: Id,
  teamId: Id,
  access: TeamAccess,
  reason: Nullable(Type.String()),
  state: OneOf(['open', 'approved', 'denied']),
  decidedBy: Nullable(Id),
  createdAt: Time,
  redactions: Type.Optional(Redactions),
});
export type AccessRequest = Static<typeof AccessRequest>;
export const NewAccessRequest = Body({
  teamId: Type.String(),
  access: TeamAccess,
  reason: Type.Optional(Type.String({ maxLength: MAX_REASON })),
});
