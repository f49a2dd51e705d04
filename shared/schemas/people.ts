import { type Static, Type } from 'typebox';
import {
  Body,
  Email,
  Id,
  MAX_NAME,
  MAX_REASON,
  Nullable,
  OneOf,
  PageQuery,
  Redactions,
  Role,
  Time,
  Verified,
} from './common.ts';

export const DEFAULT_INVITE_HOURS = 168;

const TeamAccess = OneOf(['full', 'read']);

const ClientAccess = OneOf(['read', 'write']);

export const Member = Type.Object({
  userId: Id,
  email: Type.String(),
  verified: Verified,
  name: Type.String(),
  role: Role,
  createdAt: Time,
});

export type Member = Static<typeof Member>;

/** An erased person: the id, which stays the `createdBy` of records, and a pseudonym as the name. */
export const ErasedMember = Type.Object({ userId: Id, name: Type.String(), erasedAt: Time });

export type ErasedMember = Static<typeof ErasedMember>;

export const RoleRequest = Body({ role: Role });

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
  account: Nullable(
    Type.Object({ userId: Id, name: Type.String(), email: Type.String(), verified: Verified }),
    'the open account of the Company that has the email now',
  ),
  mail: Nullable(
    OneOf(['queued', 'sent', 'failed']),
    'the last mail with a link of the invite; failed: the mail server has refused it for good. null: none was sent',
  ),
});

export type Invite = Static<typeof Invite>;

/** An invite to become a Company Admin. */
export const Invitation = Type.Object(Invite.properties);

const ExpiresInHours = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 720, default: DEFAULT_INVITE_HOURS }),
);

export const InviteRequest = Body(
  {
    email: Type.Optional({ ...Email, description: 'gets an invite, also if an account has this address' }),
    userId: Type.Optional(
      Type.String({ description: 'a member of the Company, who gets the role and the grants at once' }),
    ),
    role: { ...Role, description: '`owner` only with userId, and only if you can appoint Team Owners' },
    grants: Type.Optional(Type.Array(Body(InviteGrant), { maxItems: 200 })),
    expiresInHours: ExpiresInHours,
  },
  'either email or userId; expiresInHours only with email',
);

export type InviteRequest = Static<typeof InviteRequest>;

export const CompanyInviteRequest = Body({ email: Email, expiresInHours: ExpiresInHours });

const issued = {
  token: Type.String(),
  url: Type.String({ description: 'contains the token; shown only once' }),
};

export const IssuedInvite = Type.Object({ invite: Invite, ...issued });

/** The answer to a request that names a member of the Company. */
export const AddedMember = Type.Object({ member: Member });

/** Someone of the Company who has no role in the Team. */
export const Person = Type.Object({ userId: Id, name: Type.String() });

export type Person = Static<typeof Person>;

/** The fewest letters that people are found by, and the most people that are returned. */
export const PEOPLE_SEARCH = { minLetters: 2, limit: 20 };

export const PeopleQuery = Type.Object({
  q: Type.String({
    minLength: PEOPLE_SEARCH.minLetters,
    maxLength: MAX_NAME,
    description: `a part of the name, of ${PEOPLE_SEARCH.minLetters} letters or more, or the whole email address; case is ignored`,
  }),
  count: PageQuery.count,
});

export const IssuedCompanyInvite = Type.Object({ invitation: Invitation, ...issued });

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
