import { isActive } from './expiry.ts';

/**
 * SQL for the id of the first source with the same text as `memory.source s`. If it has expired, the oldest of the other
 * sources with its text is the first, as after `archiveSource`.
 */
export const SAME_AS = `case when s.same_as is not null then coalesce(
    (select f.id from memory.source f where f.team_id = s.team_id and f.id = s.same_as and ${isActive('f')}),
    (select nullif(min(f.id::text)::uuid, s.id) from memory.source f
      where f.team_id = s.team_id and f.same_as = s.same_as and ${isActive('f')})) end`;

/** SQL for the first source with the text of the source of `memory.import i`, if that is not the first. */
export const SAME_SOURCE_OF_IMPORT = `(
  select jsonb_build_object('sourceId', o.id, 'title', o.title)
    from memory.source s join memory.source o on o.team_id = s.team_id and o.id = ${SAME_AS}
   where s.team_id = i.team_id and s.id = i.source_id and s.same_as is not null and ${isActive('s')})`;

/** SQL for the near duplicates that were found when `memory.import i` was completed, as far as they are active sources now. */
export const SIMILAR_SOURCES_OF_IMPORT = `(
  select coalesce(jsonb_agg(jsonb_build_object('sourceId', s.id, 'title', s.title, 'similarity', n.similarity)
                            order by n.similarity desc, s.id desc), '[]')
    from jsonb_to_recordset(i.near_duplicates) as n ("sourceId" uuid, similarity float8)
    join memory.source s on s.team_id = i.team_id and s.id = n."sourceId"
   where ${isActive('s')} and s.layer_id = i.layer_id)`;
