import type { Member } from '../../../../shared/schemas/people.ts';
import { useSessionContext } from '../../app/session.tsx';

/** What is different between the people of a Team and those of the Company. */
export const PLACES = {
  team: {
    name: 'the Team',
    members: 'listTeamMembers',
    changeRole: 'changeTeamRole',
    remove: 'removeTeamMember',
    invites: 'listInvites',
    revoke: 'revokeInvite',
    resend: 'resendInvite',
    aboutInvites: 'An invite is a link that you send. Who opens it joins the Team.',
    grants: 'clients',
    records: 'listClients',
    noun: 'client',
    most: 'write',
    /** Who can open a record only by a grant. */
    granted: 'member',
    reach: { owner: 'all clients', admin: 'all clients', member: '' },
    means: {
      owner: 'Full access, and the only role that appoints, changes and removes Owners.',
      admin: 'Full access: reads and writes everything, and manages people, clients and memories.',
      member: 'Reads and writes what belongs to the Team, and the clients that are opened to them.',
    },
    ends: [
      'The role and the access to clients end at once.',
      'Agent tokens for this Team end, unless a role in the Company still opens it.',
      'Open invites that this person made are revoked.',
      'What was stored stays. To come back takes a new invite.',
    ],
  },
  company: {
    name: 'the Company',
    members: 'listCompanyMembers',
    changeRole: 'changeCompanyRole',
    remove: 'removeCompanyMember',
    invites: 'listInvitations',
    revoke: 'revokeInvitation',
    resend: 'resendInvitation',
    aboutInvites:
      'Owners invite Admins. An Admin makes Teams, and reads or changes those that are opened to them.',
    grants: 'teams',
    records: 'listTeams',
    noun: 'Team',
    most: 'full',
    granted: 'admin',
    reach: { owner: 'all Teams', admin: '', member: 'their Teams' },
    means: {
      owner: 'Full access to every Team; changes the Company, its people and quotas.',
      admin: 'Makes, renames and archives Teams; reads or changes only the Teams below.',
      member: 'Nothing in the Company; in each Team what the role there allows.',
    },
    ends: [
      'The account is closed: sessions, roles, access, open invites and agent tokens end.',
      'What was stored stays in the Teams. To come back takes a new invite.',
    ],
  },
} as const;

/** The people of the Team, or those of the Company. */
export type Where = keyof typeof PLACES;

export type Role = Member['role'];
/** The roles, strongest first. */
export const ORDER: readonly Role[] = ['owner', 'admin', 'member'];
/** The names of the roles. */
export const ROLES: Readonly<Record<Role, string>> = { owner: 'Owner', admin: 'Admin', member: 'Member' };
export const withArticle = (role: Role) => (role === 'member' ? 'a Member' : `an ${ROLES[role]}`);

/** A member, or who is invited. */
interface Someone {
  userId?: string;
  role: Role;
}

/**
 * What the person can do about people. `manages`: see who can open what, remove and revoke, in an archived Team too.
 * `changes`: to invite, and everything else. `gives`: about access by grants.
 */
export function usePeopleRights(of: Where = 'team') {
  const { session, team } = useSessionContext();
  const isOwner = session.company.role === 'owner';
  if (of === 'company')
    return {
      manages: session.company.role !== 'member',
      changes: isOwner,
      gives: isOwner && ('give' as const),
      rolesFor: () => (isOwner ? ORDER : []),
      canRemove: ({ userId }: Someone) => isOwner && userId !== session.user.id,
    };
  const manages = team?.access === 'full';
  const changes = manages && team.state === 'active';
  // Only Owners appoint, change and remove Owners.
  const appoints = isOwner || team?.role === 'owner';
  const isInReach = ({ role }: Someone) => role !== 'owner' || appoints;
  return {
    manages,
    changes,
    gives: changes ? ('give' as const) : ('take' as const),
    rolesFor: (one: Someone) => (changes && isInReach(one) ? ORDER.slice(appoints ? 0 : 1) : []),
    canRemove: (one: Someone) => manages && isInReach(one),
  };
}

/** Whether one of the texts contains what is sought, in any case. */
export const matches = (sought: string | undefined, texts: readonly string[]) =>
  texts.some((text) => text.toLowerCase().includes((sought ?? '').trim().toLowerCase()));

/** For lists in the order of names. */
export const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
