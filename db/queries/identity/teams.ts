import type { ActiveState } from '../../../shared/access.ts';
import type { Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { ScopedTransaction } from '../../driver/database.ts';
import { wireTime } from '../fragments/layers.ts';
import type { ListPart } from '../fragments/list-part.ts';

type TeamRow = Omit<Team, 'createdAt'> & { createdAt: Date };
const COLUMNS = `id, name, state, created_at as "createdAt"`;
const toTeam = (row: TeamRow): Team => ({ ...row, createdAt: wireTime(row.createdAt) });

/**
 * Locks a Team of the Company until the transaction ends, so that changes of its state and roles run one after another.
 * Lock accounts before, and invites after. Null: the Team does not exist.
 */
export async function lockTeamRow(tx: ScopedTransaction, teamId: string): Promise<Team | null> {
  const [row] = await tx.query<TeamRow>(
    `select ${COLUMNS} from identity.team
      where company_id = $1 and id = $2 and deleted_at is null for no key update`,
    [tx.scope.companyId, teamId],
  );
  return row === undefined ? null : toTeam(row);
}

/** Locks the state of a Team of the Company against changes until the transaction ends. Null: it does not exist. */
export async function lockTeamState(tx: ScopedTransaction, teamId: string): Promise<ActiveState | null> {
  const [row] = await tx.query<{ state: ActiveState }>(
    `select state from identity.team
      where company_id = $1 and id = $2 and deleted_at is null for share`,
    [tx.scope.companyId, teamId],
  );
  return row?.state ?? null;
}

/** Lists the Teams of the Company, newest first. With `teamId`, only that Team. */
export async function listTeams(
  tx: ScopedTransaction<CompanyScope>,
  part: ListPart,
  teamId: string | null = null,
): Promise<Team[]> {
  const rows = await tx.query<TeamRow>(
    `select ${COLUMNS} from identity.team
      where company_id = $1 and deleted_at is null and ($2::uuid is null or id < $2)
        and ($3::uuid is null or id = $3)
      order by id desc limit $4`,
    [tx.scope.companyId, part.after, teamId, part.limit],
  );
  return rows.map(toTeam);
}

/** Inserts a Team of the Company, without members. */
export async function insertTeam(
  tx: ScopedTransaction<CompanyScope>,
  team: { id: string; name: string },
): Promise<Team> {
  const [row] = await tx.query<TeamRow>(
    `insert into identity.team (company_id, id, name) values ($1, $2, $3) returning ${COLUMNS}`,
    [tx.scope.companyId, team.id, team.name],
  );
  if (row === undefined) throw new Error('the Team was not inserted');
  return toTeam(row);
}

/** Changes the name or the state of a Team. Lock it before. */
export async function updateTeam(
  tx: ScopedTransaction<CompanyScope>,
  teamId: string,
  change: { name?: string; state?: ActiveState },
): Promise<Team> {
  const [row] = await tx.query<TeamRow>(
    `update identity.team set name = coalesce($3, name), state = coalesce($4, state)
      where company_id = $1 and id = $2 and deleted_at is null returning ${COLUMNS}`,
    [tx.scope.companyId, teamId, change.name ?? null, change.state ?? null],
  );
  if (row === undefined) throw new Error('the Team is gone');
  return toTeam(row);
}

/**
 * Marks a Team as deleted, so that it no longer exists for anyone, and deletes its roles, grants, invites, access
 * requests and agent tokens. Enqueue `team.purge` in the same transaction: that job deletes the content.
 */
export async function deleteTeam(tx: ScopedTransaction<CompanyScope>, teamId: string): Promise<void> {
  const values = [tx.scope.companyId, teamId];
  await tx.query('update identity.team set deleted_at = now() where company_id = $1 and id = $2', values);
  for (const table of ['team_member', 'company_grant', 'access_request', 'invite', 'agent_token']) {
    await tx.query(`delete from identity.${table} where company_id = $1 and team_id = $2`, values);
  }
}
