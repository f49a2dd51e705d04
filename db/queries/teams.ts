import type { ActiveState } from '../../shared/access.ts';
import { foldName } from '../../shared/formats/names.ts';
import type { Team } from '../../shared/schemas/teams.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import type { TeamSettings } from '../../shared/settings/team-settings.ts';
import type { ScopedTransaction } from '../driver/database.ts';
import { deleteSearchTexts } from './audit.ts';
import { type ListPart, type LockStrength, ROW_LOCKS, wireTime } from './common.ts';
import { queryList } from './query-list.ts';

type TeamRow = Omit<Team, 'createdAt'> & { createdAt: Date };
const COLUMNS = `id, name, state, created_at as "createdAt"`;
const toTeam = (row: TeamRow): Team => ({ ...row, createdAt: wireTime(row.createdAt) });

/**
 * Locks a Team of the Company until the transaction ends. `share`: its state and its settings stay as they are. `update`:
 * also changes of its roles, invites and clients run one after another. Null: the Team does not exist.
 */
export async function lockTeam(
  tx: ScopedTransaction,
  teamId: string,
  strength: LockStrength,
): Promise<{ team: Team; settings: TeamSettings } | null> {
  const [row] = await tx.query<TeamRow & TeamSettings>(
    `select ${COLUMNS}, publish, redaction from identity.team
      where company_id = $1 and id = $2 and deleted_at is null ${ROW_LOCKS[strength]}`,
    [tx.scope.companyId, teamId],
  );
  if (row === undefined) return null;
  const { publish, redaction, ...team } = row;
  return { team: toTeam(team), settings: { publish, redaction } };
}

/** Lists the Teams of the Company, newest first. With `teamId`, only that Team. */
export async function selectTeams(
  tx: ScopedTransaction<CompanyScope>,
  part: ListPart,
  teamId: string | null = null,
): Promise<Team[]> {
  const rows = await queryList<TeamRow>(
    tx,
    part,
    `select ${COLUMNS} from identity.team
      where company_id = $1 and deleted_at is null and ($after::uuid is null or id < $after)
        and ($2::uuid is null or id = $2)
      order by id desc limit $limit`,
    {},
    [tx.scope.companyId, teamId],
  );
  return rows.map(toTeam);
}

/** Inserts a Team of the Company, without members. Null: another Team of the Company, maybe archived, has the name. */
export async function insertTeam(
  tx: ScopedTransaction<CompanyScope>,
  team: { id: string; name: string },
): Promise<Team | null> {
  const [row] = await tx.query<TeamRow>(
    `insert into identity.team (company_id, id, name, folded_name) values ($1, $2, $3, $4)
     on conflict (company_id, folded_name) where deleted_at is null do nothing returning ${COLUMNS}`,
    [tx.scope.companyId, team.id, team.name, foldName(team.name)],
  );
  return row === undefined ? null : toTeam(row);
}

/** Changes the state of a Team. Lock it before. */
export async function updateTeamState(
  tx: ScopedTransaction<CompanyScope>,
  teamId: string,
  state: ActiveState,
): Promise<Team> {
  const [row] = await tx.query<TeamRow>(
    `update identity.team set state = $3
      where company_id = $1 and id = $2 and deleted_at is null returning ${COLUMNS}`,
    [tx.scope.companyId, teamId, state],
  );
  if (row === undefined) throw new Error('the Team is gone');
  return toTeam(row);
}

/** What a Team changes about itself. Absent fields do not change. */
export interface TeamChange extends Partial<TeamSettings> {
  name?: string;
}

/** Changes the name or the settings of a Team. Lock it before. */
export async function updateTeam(tx: ScopedTransaction, teamId: string, change: TeamChange): Promise<Team> {
  const [row] = await tx.query<TeamRow>(
    `update identity.team set name = coalesce($3, name), folded_name = coalesce($4, folded_name),
            publish = coalesce($5, publish), redaction = case when $6 then $7 else redaction end
      where company_id = $1 and id = $2 and deleted_at is null returning ${COLUMNS}`,
    [
      tx.scope.companyId,
      teamId,
      change.name ?? null,
      change.name === undefined ? null : foldName(change.name),
      change.publish ?? null,
      change.redaction !== undefined,
      change.redaction ?? null,
    ],
  );
  if (row === undefined) throw new Error('the Team is gone');
  return toTeam(row);
}

/**
 * Marks a Team as deleted, so that it no longer exists for anyone, and deletes its roles, grants, invites, access
 * requests and agent tokens, and the stored texts of its searches. Enqueue `team.purge` in the same transaction: that job
 * deletes the content.
 */
export async function deleteTeam(tx: ScopedTransaction<CompanyScope>, teamId: string): Promise<void> {
  const values = [tx.scope.companyId, teamId];
  await tx.query('update identity.team set deleted_at = now() where company_id = $1 and id = $2', values);
  for (const table of ['team_member', 'company_grant', 'access_request', 'invite', 'agent_token']) {
    await tx.query(`delete from identity.${table} where company_id = $1 and team_id = $2`, values);
  }
  await deleteSearchTexts(tx, { teamId });
}
