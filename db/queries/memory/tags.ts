import type { TagCount } from '../../../shared/schemas/tags.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';
import type { ListPart } from '../fragments/list-part.ts';

/**
 * Counts how many active sources within the scope have each tag. Tags are in the order of their code points, whatever
 * the collation of the database.
 * @param part after a tag
 */
export async function countTags(tx: TeamTransaction, part: ListPart): Promise<TagCount[]> {
  return tx.query<TagCount>(
    `select t.tag, count(*)::int as count
       from memory.source s cross join lateral unnest(s.tags) t (tag)
      where ${inScope('s')} and ${isActive('s')} and s.tags <> '{}'
        and ($3::text is null or t.tag > $3 collate "C")
      group by t.tag order by t.tag collate "C" limit $4`,
    [...scopeValues(tx.scope), part.after, part.limit],
  );
}
