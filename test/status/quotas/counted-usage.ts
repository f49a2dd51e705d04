import type { Database } from '../../../db/driver/database.ts';
import type { Usage } from '../../../db/queries/status.ts';
import type { TestCompany } from '../../support/needs/database.ts';

/** Counts what a Team stores row by row, as the owner of the tables. */
export async function countUsage(
  database: Database,
  { teamId }: Pick<TestCompany, 'teamId'>,
): Promise<Usage> {
  const [usage] = await database.query<Usage>(
    `with active as (select s.id from memory.source s where s.team_id = $1 and s.state = 'active'),
          part as (
            select octet_length(substr(c.text, c.repeated + 1) || coalesce(c.gap, '')) as bytes from memory.chunk c join active a on a.id = c.source_id
             where c.team_id = $1
            union all select octet_length(summary) from memory.capture where team_id = $1
            union all select octet_length(content) from memory.memory_version where team_id = $1
            union all select octet_length(text) from memory.source_version where team_id = $1
            union all select bytes from memory.workspace_version where team_id = $1
            union all select octet_length(substr(text, repeated + 1) || coalesce(gap, '')) from memory.kept_chunk where team_id = $1
            union all select octet_length(concat(text_form ->> 'tail', text_form ->> 'breaks')) from memory.source s join active a using (id)
             where s.team_id = $1
            union all select bytes from memory.original where team_id = $1)
     select (select count(*) from active) as sources,
            (select count(*) from memory.chunk c join active a on a.id = c.source_id where c.team_id = $1) as chunks,
            (select count(*) from memory.workspace_version
              where team_id = $1 and until_revision is null and sha256 is not null) as files,
            (select coalesce(sum(bytes), 0)::bigint from part) as bytes`,
    [teamId],
  );
  if (usage === undefined) throw new Error('nothing was counted');
  return usage;
}
