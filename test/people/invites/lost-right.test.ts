import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { recordedBy } from '../../support/company.ts';
import { accept, join, newEmail } from '../../support/invites.ts';
import { outcome } from '../../support/sign-in.ts';
import { readTable } from '../../support/tables.ts';
import { addPerson, addTeam, archiveTeam, inTeam, type Person, type Ties } from '../../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** What makers are in the Company, and in each of two of its Teams. */
const MAKERS: Record<string, Ties> = {
  'Team Admin': { teamRole: 'admin' },
  'Team Owner': { teamRole: 'owner' },
  Owner: { companyRole: 'owner' },
  'Owner, Team Owner': { companyRole: 'owner', teamRole: 'owner' },
  Admin: { companyRole: 'admin', companyGrant: 'full' },
  'Admin, Team Admin': { companyRole: 'admin', companyGrant: 'full', teamRole: 'admin' },
  'reader, Team Admin': { companyRole: 'admin', companyGrant: 'read', teamRole: 'admin' },
};

/** What happens to them: in the Company, or in one of the Teams. */
const CHANGES: Record<string, (company: SignedIn, userId: string) => Promise<unknown>> = {
  'Team Member': ({ api }, userId) => api.changeTeamRole(userId, { role: 'member' }),
  'Team Admin': ({ api }, userId) => api.changeTeamRole(userId, { role: 'admin' }),
  'out of the Team': ({ api }, userId) => api.removeTeamMember(userId),
  'out of the archived Team': async ({ api, teamId }, userId) => {
    await archiveTeam(service, teamId);
    await api.removeTeamMember(userId);
  },
  'grant lowered': ({ api, teamId }, userId) => api.giveCompanyGrant(userId, teamId, { access: 'read' }),
  'grant revoked': ({ api, teamId }, userId) => api.revokeCompanyGrant(userId, teamId),
  'Company Owner': ({ api }, userId) => api.changeCompanyRole(userId, { role: 'owner' }),
  'Company Admin': ({ api }, userId) => api.changeCompanyRole(userId, { role: 'admin' }),
  'Company Member': ({ api }, userId) => api.changeCompanyRole(userId, { role: 'member' }),
  'Company Member, a Team is archived': async ({ api, teamId }, userId) => {
    await archiveTeam(service, teamId);
    await api.changeCompanyRole(userId, { role: 'member' });
  },
  'out of the Company': ({ api }, userId) => api.removeCompanyMember(userId),
};

/** Which of the invites of a maker are open after a change. */
const TABLE = readTable(`
  maker              | change                             | open
  Team Admin         | Team Member                        | there
  Team Admin         | out of the Team                    | there
  Team Admin         | out of the archived Team           | there
  Team Admin         | out of the Company                 |
  Team Owner         | Team Member                        | there
  Team Owner         | Team Admin                         | here there
  Owner              | Company Admin                      | newTeam
  Owner              | Company Member                     |
  Owner              | Company Member, a Team is archived |
  Owner, Team Owner  | Team Member                        | here there newTeam company
  Owner, Team Owner  | out of the Team                    | here there newTeam company
  Owner, Team Owner  | Company Admin                      | here there newTeam
  Owner, Team Owner  | Company Member                     | here there
  Owner, Team Owner  | out of the Company                 |
  Admin              | grant lowered                      | there newTeam
  Admin              | grant revoked                      | there newTeam
  Admin              | Company Owner                      | here there newTeam
  Admin              | Company Member                     |
  Admin, Team Admin  | Team Member                        | here there newTeam
  Admin, Team Admin  | out of the Team                    | here there newTeam
  Admin, Team Admin  | grant lowered                      | here there newTeam
  Admin, Team Admin  | grant revoked                      | here there newTeam
  Admin, Team Admin  | Company Member                     | here there
  reader, Team Admin | Team Member                        | there newTeam
`);

/** Invites of a person into both Teams, and of the kinds that the role in the Company allows: id and token. */
async function inviteEverywhere(person: Person, there: string, { companyRole }: Ties) {
  const email = newEmail;
  const into = async (caller: Person) => {
    const { invite, token } = await caller.api.createInvite({ email: email(), role: 'admin' });
    return { id: invite.id, token };
  };
  const made: Record<string, { id: string; token: string }> = {
    here: await into(person),
    there: await into(inTeam(person, there)),
  };
  if (companyRole !== undefined) {
    const { invite, token } = await person.api.createTeam({ name: 'Another', ownerEmail: email() });
    made['newTeam'] = { id: invite?.id ?? '', token: token ?? '' };
  }
  if (companyRole === 'owner') {
    const { invitation, token } = await person.api.createInvitation({ email: email() });
    made['company'] = { id: invitation.id, token };
  }
  return made;
}

describe('the open invites of someone who loses the right to invite', () => {
  for (const { maker = '', change = '', open = '' } of TABLE) {
    test(`of a maker (${maker}) leave open: ${open === '' ? 'none' : open}, after: ${change}`, async () => {
      const company = await service.company();
      const there = await addTeam(service, company);
      const ties = MAKERS[maker] ?? {};
      // Another Owner stays in each Team.
      await addPerson(service, { ...company, teamId: there }, { teamRole: 'owner' });
      const person = await addPerson(service, company, ties);
      const ids = [company.companyId, there, person.userId];
      for (const [table, column, value] of [
        ['team_member', 'role', ties.teamRole],
        ['company_grant', 'access', ties.companyGrant],
      ] as const) {
        if (value === undefined) continue;
        await database.query(
          `insert into identity.${table} (company_id, team_id, user_id, ${column}) values ($1, $2, $3, $4)`,
          [...ids, value],
        );
      }
      const made = await inviteEverywhere(person, there, ties);
      const { invite: others } = await company.api.createInvite({ email: newEmail(), role: 'member' });
      const { events } = await recordedBy(service, company, async () =>
        CHANGES[change]?.(company, person.userId),
      );
      const rows = await database.query<{ id: string }>(
        `select id from identity.invite i
          where company_id = $1 and identity.invite_state(i.used_at, i.revoked_at, i.expires_at) = 'open'`,
        [company.companyId],
      );
      const left = rows.map(({ id }) => id);
      const names = Object.keys(made).filter((name) => left.includes(made[name]?.id ?? ''));
      assert.equal(names.join(' '), open);
      assert.ok(left.includes(others.id), 'the invites of others stay open');
      const ended = Object.entries(made).filter(([name]) => !names.includes(name));
      const revoked = (events[0]?.detail['revokedInvites'] ?? []) as string[];
      assert.deepEqual(revoked.sort(), ended.map(([, { id }]) => id).sort());
      for (const [name, { token }] of ended) {
        const use = name === 'company' ? accept : join;
        assert.equal(outcome(await use(service, { token })), '410 token_revoked', name);
      }
    });
  }
});
