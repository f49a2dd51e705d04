import type { CompanyRole, Standing, TeamRole } from '../../../shared/access.ts';
import type { Member, Person } from '../../../shared/schemas/people.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { ScopedTransaction, TeamTransaction } from '../../driver/database.ts';
import { type Listed, type ListPart, wireTime } from '../common.ts';
import { queryList } from '../query-list.ts';

type MemberRow = Listed<Omit<Member, 'createdAt'> & { createdAt: Date }>;
const toMember = (row: MemberRow): Listed<Member> => ({ ...row, createdAt: wireTime(row.createdAt) });

/** Lists the open accounts of the Company, newest first. With `userId`, only that account. */
export async function listCompanyMembers(
  tx: ScopedTransaction<CompanyScope>,
  part: ListPart,
  userId: string | null = null,
): Promise<Listed<Member>[]> {
  const rows = await queryList<MemberRow>(
    tx,
    part,
    `select id, id as "userId", email, verified_at is not null as verified, name, role, created_at as "createdAt" from identity.account
      where company_id = $1 and closed_at is null and ($after::uuid is null or id < $after)
        and ($2::uuid is null or id = $2)
      order by id desc limit $limit`,
    {},
    [tx.scope.companyId, userId],
  );
  return rows.map(toMember);
}

/**
 * Returns how many Owners the Company has, and whether `userId` is the server principal, which must remain an Owner.
 */
export async function readOwnership(
  tx: ScopedTransaction<CompanyScope>,
  userId: string,
): Promise<{ owners: number; isPrincipal: boolean }> {
  const [row] = await tx.query<{ owners: number; isPrincipal: boolean }>(
    `select count(*) filter (where role = 'owner') as owners,
            coalesce(bool_or(is_principal and id = $2), false) as "isPrincipal"
       from identity.account where company_id = $1 and closed_at is null`,
    [tx.scope.companyId, userId],
  );
  return row ?? { owners: 0, isPrincipal: false };
}

/** Changes the role of an account in the Company. */
export async function updateCompanyRole(
  tx: ScopedTransaction<CompanyScope>,
  userId: string,
  role: CompanyRole,
): Promise<void> {
  await tx.query(
    'update identity.account set role = $3 where company_id = $1 and id = $2 and closed_at is null',
    [tx.scope.companyId, userId, role],
  );
}

/**
 * Makes an account the Owner of the Teams of its Company that have no member: the first Owner of a new Company. Nobody else can
 * reach these Teams, so only the Company must be locked before.
 */
export async function insertFirstOwner(tx: ScopedTransaction<CompanyScope>, userId: string): Promise<void> {
  await tx.query(
    `insert into identity.team_member (company_id, team_id, user_id, role)
     select t.company_id, t.id, $2, 'owner' from identity.team t
      where t.company_id = $1 and t.deleted_at is null
        and not exists (select from identity.team_member m where m.company_id = $1 and m.team_id = t.id)`,
    [tx.scope.companyId, userId],
  );
}

/** Lists the open accounts that are Owners of the Company, in the order of their ids. */
export async function listOwners(
  tx: ScopedTransaction<CompanyScope>,
): Promise<{ userId: string; email: string }[]> {
  return tx.query(
    `select id as "userId", email from identity.account
      where company_id = $1 and role = 'owner' and closed_at is null order by id`,
    [tx.scope.companyId],
  );
}

/** Closes an account. Deletes its sessions, its roles in Teams and its grants. Its email can be used again. */
export async function closeAccount(tx: ScopedTransaction<CompanyScope>, userId: string): Promise<void> {
  const values = [tx.scope.companyId, userId];
  for (const statement of [
    'update identity.account set closed_at = now(), password_hash = null where company_id = $1 and id = $2',
    'delete from identity.session where company_id = $1 and user_id = $2',
    // The grants for clients are deleted with the membership.
    'delete from identity.team_member where company_id = $1 and user_id = $2',
    'delete from identity.company_grant where company_id = $1 and user_id = $2',
  ]) {
    await tx.query(statement, values);
  }
}

/** Lists the members of the Team, newest first. With `userId`, only that member. */
export async function listTeamMembers(
  tx: TeamTransaction,
  part: ListPart,
  userId: string | null = null,
): Promise<Listed<Member>[]> {
  const rows = await queryList<MemberRow>(
    tx,
    part,
    `select m.id, m.user_id as "userId", a.email, a.verified_at is not null as verified, a.name, m.role, m.created_at as "createdAt"
       from identity.team_member m
       join identity.account a on a.company_id = m.company_id and a.id = m.user_id and a.closed_at is null
      where m.company_id = $1 and m.team_id = $2 and ($after::uuid is null or m.id < $after)
        and ($3::uuid is null or m.user_id = $3)
      order by m.id desc limit $limit`,
    {},
    [tx.scope.companyId, tx.scope.teamId, userId],
  );
  return rows.map(toMember);
}

/**
 * Finds open accounts of the Company that have no role in the Team: first the one with the email, then in the order of
 * their names.
 * @param text a part of the name
 * @param email the same text as an email, in canonical form
 */
export function findPeopleOutside(
  tx: TeamTransaction,
  { text, email, limit }: { text: string; email: string; limit: number },
): Promise<Person[]> {
  return tx.query<Person>(
    `select a.id as "userId", a.name from identity.account a
      where a.company_id = $1 and a.closed_at is null
        and (a.email = $4 or position((memory.comparable_text($3) collate "C") in a.name_key) > 0)
        and not exists (select from identity.team_member m
                         where m.company_id = $1 and m.team_id = $2 and m.user_id = a.id)
      order by a.email = $4 desc, a.name_key, a.id limit $5`,
    [tx.scope.companyId, tx.scope.teamId, text, email, limit],
  );
}

/** Counts the members of the Team, and its Owners. */
export async function countTeamMembers(tx: TeamTransaction): Promise<{ members: number; owners: number }> {
  const [row] = await tx.query<{ members: number; owners: number }>(
    `select count(*) as members, count(*) filter (where m.role = 'owner') as owners
       from identity.team_member m
       join identity.account a on a.company_id = m.company_id and a.id = m.user_id and a.closed_at is null
      where m.company_id = $1 and m.team_id = $2`,
    [tx.scope.companyId, tx.scope.teamId],
  );
  return row ?? { members: 0, owners: 0 };
}

/** Returns the current roles and Company grant of a user for a Team; null if the account was closed. */
export async function findStanding(
  tx: ScopedTransaction,
  teamId: string,
  userId: string,
): Promise<Standing | null> {
  const [row] = await tx.query<Standing>(
    `select a.role as "companyRole", m.role, g.access as "grant"
       from identity.account a
       left join identity.team_member m on m.company_id = $1 and m.team_id = $2 and m.user_id = a.id
       left join identity.company_grant g on g.company_id = $1 and g.team_id = $2 and g.user_id = a.id
      where a.company_id = $1 and a.id = $3 and a.closed_at is null`,
    [tx.scope.companyId, teamId, userId],
  );
  return row ?? null;
}

/** Returns the role of a user in a Team of the Company; null without one. */
export async function findTeamRole(
  tx: ScopedTransaction,
  teamId: string,
  userId: string,
): Promise<TeamRole | null> {
  const [row] = await tx.query<{ role: TeamRole }>(
    'select role from identity.team_member where company_id = $1 and team_id = $2 and user_id = $3',
    [tx.scope.companyId, teamId, userId],
  );
  return row?.role ?? null;
}

/** Returns the email of an open account of the Company, and its role in the Team; null if no open account has this id. */
export async function findCandidate(
  tx: TeamTransaction,
  userId: string,
): Promise<{ email: string; role: TeamRole | null } | null> {
  const [row] = await tx.query<{ email: string; role: TeamRole | null }>(
    `select a.email, m.role
       from identity.account a
       left join identity.team_member m on m.company_id = $1 and m.team_id = $2 and m.user_id = a.id
      where a.company_id = $1 and a.id = $3 and a.closed_at is null`,
    [tx.scope.companyId, tx.scope.teamId, userId],
  );
  return row ?? null;
}

/** Gives a user a role in a Team of the Company. Replaces an earlier role. */
export async function upsertTeamMember(
  tx: ScopedTransaction,
  member: { teamId: string; userId: string; role: TeamRole },
): Promise<void> {
  await tx.query(
    `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, $4)
     on conflict (team_id, user_id) do update set role = excluded.role`,
    [tx.scope.companyId, member.teamId, member.userId, member.role],
  );
}

/** Removes a member from the Team, with their grants for clients. */
export async function deleteTeamMember(tx: TeamTransaction, userId: string): Promise<void> {
  await tx.query('delete from identity.team_member where company_id = $1 and team_id = $2 and user_id = $3', [
    tx.scope.companyId,
    tx.scope.teamId,
    userId,
  ]);
}
