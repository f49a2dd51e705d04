/** What is different between the people of a Team and those of the Company. */
export const PLACES = {
  team: {
    name: 'the Team',
    members: 'listTeamMembers',
    changeRole: 'changeTeamRole',
    remove: 'removeTeamMember',
    invites: 'listInvites',
    revoke: 'revokeInvite',
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
