import { prepared } from '../../db/driver/database.ts';
import type { TestApp } from './app.ts';
import type { TestCompany } from './needs/database.ts';

/** Read once, and prepared: to plan a statement on all tables takes longer than to run it. */
let statement: Promise<string> | undefined;

async function statementOnAllTables({ database }: Pick<TestApp, 'database'>): Promise<string> {
  // Contents of workspace files are left out: upkeep deletes those that no version refers to.
  const tables = await database.query<{ name: string; column: string }>(
    `select c.oid::regclass::text as name, min(a.attname::text) as column
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('company_id', 'team_id')
      where c.relkind = 'r' and c.relnamespace in ('identity'::regnamespace, 'memory'::regnamespace)
        and c.relname <> 'workspace_blob'
      group by c.oid`,
  );
  const selects = tables.map(
    ({ name, column }) =>
      `select '${name} ' || t::text as row from ${name} t
        where ${column} = ${column === 'company_id' ? '$1' : '$2'}::uuid`,
  );
  const jobs = `select 'job ' || name || ' ' || data::text from pgboss.job where data->>'teamId' = $2::text`;
  return prepared(`${[...selects, jobs].join(' union all ')} order by 1`);
}

/** Every row of a Company and its Team, with the jobs of the Team. */
export async function companyRows(
  service: Pick<TestApp, 'database'>,
  { companyId, teamId }: Pick<TestCompany, 'companyId' | 'teamId'>,
): Promise<string[]> {
  const text = await (statement ??= statementOnAllTables(service));
  return (await service.database.query<{ row: string }>(text, [companyId, teamId])).map(({ row }) => row);
}
