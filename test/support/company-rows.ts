import type { TestApp } from './app.ts';
import type { TestCompany } from './needs/database.ts';

let tables: Promise<{ name: string; column: string }[]> | undefined;

/** Every row of a Company and its Team, with the jobs of the Team. */
export async function companyRows(
  { database }: Pick<TestApp, 'database'>,
  { companyId, teamId }: Pick<TestCompany, 'companyId' | 'teamId'>,
): Promise<string[]> {
  // Contents of workspace files are left out: upkeep deletes those that no version refers to.
  tables ??= database.query(
    `select c.oid::regclass::text as name, min(a.attname::text) as column
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('company_id', 'team_id')
      where c.relkind = 'r' and c.relnamespace in ('identity'::regnamespace, 'memory'::regnamespace)
        and c.relname <> 'workspace_blob'
      group by c.oid`,
  );
  const selects = (await tables).map(
    ({ name, column }) =>
      `select '${name} ' || t::text as row from ${name} t
        where ${column} = ${column === 'company_id' ? '$1' : '$2'}::uuid`,
  );
  const jobs = `select 'job ' || name || ' ' || data::text from pgboss.job where data->>'teamId' = $2::text`;
  const rows = await database.query<{ row: string }>(`${[...selects, jobs].join(' union all ')} order by 1`, [
    companyId,
    teamId,
  ]);
  return rows.map(({ row }) => row);
}
