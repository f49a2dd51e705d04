import { type Static, Type } from 'typebox';
import { PUBLISH_RULES, REDACTION_MODES } from '../settings/team-settings.ts';
import { Body, Id, Nullable, OneOf, Role, State, Text, Time, VisibleName } from './common.ts';
import { Invite } from './people.ts';

export const count = Type.Integer();

/** What a Team stores. */
export const Usage = Type.Object({
  sources: Type.Integer({ description: 'active ones, also of archived clients' }),
  chunks: Type.Integer({ description: 'of active sources' }),
  files: Type.Integer({ description: 'live files of the workspace' }),
  bytes: Type.Integer({
    description:
      'of the texts of active sources, captures, versions of memories and versions of files, and all else that is kept',
  }),
});

const Limit = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), description);

/** The most that a Team can store. */
export const Quota = Type.Object(
  { chunks: Limit('null: no limit'), bytes: Limit('null: no limit') },
  { additionalProperties: false },
);

const SHOWN_TO = 'only with Full access, and not for an agent token with clientIds';

/** What a Team stores and can store. */
export const teamStorage = {
  usage: Type.Optional({ ...Usage, description: `of the whole Team; ${SHOWN_TO}` }),
  quota: Type.Optional({ ...Quota, description: `in force; ${SHOWN_TO}` }),
};

/** The quota of a Team, for the Company. */
const teamQuota = {
  quota: Type.Optional({ ...Quota, description: 'in force; not in lists' }),
};

/** A new Team of the Company. */
export const NewTeamRequest = Body(
  {
    name: VisibleName,
    ownerEmail: Type.Optional(Text(300, 'is invited as the Owner; trimmed; case is ignored')),
    ownerUserId: Type.Optional(
      Type.String({ description: 'a member of the Company, who becomes the Owner at once' }),
    ),
  },
  'at most one of ownerEmail and ownerUserId',
);

export type NewTeamRequest = Static<typeof NewTeamRequest>;

/** What the Company changes about a Team. */
export const CompanyTeamChange = Body(
  {
    name: Type.Optional(VisibleName),
    quota: Type.Optional({ ...Quota, description: 'requires the role of Company Owner' }),
  },
  'at least one of name and quota',
);

export type CompanyTeamChange = Static<typeof CompanyTeamChange>;

export const Team = Type.Object({ id: Id, name: Type.String(), state: State, createdAt: Time, ...teamQuota });

export type Team = Static<typeof Team>;

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

/** A new Team. The invite is null unless its Owner is invited. */
export const NewTeam = Type.Object({
  team: Team,
  invite: Nullable(Invite),
  token: Nullable(Type.String()),
  url: Nullable(Type.String()),
});
