import { type Static, Type } from 'typebox';
import { Body, Email, Id, Role, Time, VisibleName } from './common.ts';
import { Team } from './teams.ts';

export const Company = Type.Object({ id: Id, name: Type.String(), role: Role });

export type Company = Static<typeof Company>;

/** A Company of the deployment, as the operator sees it. */
export const HostedCompany = Type.Object({
  id: Id,
  name: Type.String(),
  createdAt: Time,
  members: Type.Integer({ description: 'number of open accounts' }),
  teams: Type.Integer({ description: 'number of Teams, also archived ones' }),
});
export type HostedCompany = Static<typeof HostedCompany>;

export const NewCompanyRequest = Body({
  name: VisibleName,
  ownerEmail: { ...Email, description: 'is invited as the Owner; trimmed; case is ignored' },
  teamName: Type.Optional({ ...VisibleName, description: 'name of its first Team; default: `General`' }),
});

/** A new Company, with the link that makes its Owner. Token and link are shown only here. */
export const NewCompany = Type.Object({
  company: HostedCompany,
  team: Team,
  token: Type.String(),
  url: Type.String(),
  expiresAt: Time,
});
export type NewCompany = Static<typeof NewCompany>;

export const OwnerLinkRequest = Body({
  email: Type.Optional({
    ...Email,
    description:
      'of an Owner; default: the only Owner. While the Company has no Owner, who is invited as the Owner; default: the email ' +
      'that was invited before',
  }),
});

export const EndCompanyRequest = Body({
  name: { ...VisibleName, description: 'name of the Company that ends' },
});
