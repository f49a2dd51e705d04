import type { Database } from '../../db/driver/database.ts';
import { type TeamScope, teamScope } from '../../shared/scope.ts';
import type { TestCompany } from './needs/database.ts';
import { addClient as addClientTo, addTeam as addTeamTo } from './team.ts';

/** The scope of the Company's Owner in the Team: reads and writes the Team layer and every client named. */
export function ownerScope(team: TestCompany, clientIds: readonly string[] = []): TeamScope {
  const membership = {
    id: team.teamId,
    name: 'Test Team',
    state: 'active',
    role: 'owner',
    grant: null,
    publish: 'anyone',
    redaction: null,
    quota: null,
  } as const;
  const scope = teamScope(
    {
      userId: team.ownerId,
      email: team.ownerEmail,
      isVerified: false,
      name: 'Owner',
      companyId: team.companyId,
      companyName: 'Test Company',
      companyRole: 'owner',
      session: null,
      token: null,
      lastChange: null,
      teams: [membership],
      selectedTeamId: team.teamId,
      clients: clientIds.map((id) => ({ id, grant: null })),
    },
    membership,
  );
  if (scope === null) throw new Error('an Owner may enter every Team');
  return scope;
}

/** A second Team in the Company, of the same Owner. */
export async function addTeam(database: Database, company: TestCompany): Promise<TestCompany> {
  return { ...company, teamId: await addTeamTo({ database }, company) };
}

/** A client of the Team. */
export const addClient = (database: Database, team: TestCompany): Promise<string> =>
  addClientTo({ database }, team);
