import type { TestApp } from '../../support/app.ts';
import type { Caller } from '../../support/team.ts';

/** Asks to move a source, whatever comes of it. */
export const move = (caller: Caller, id: string, clientId: string | null, change: object = {}) =>
  caller.ask.changeSource(id, { ...change, clientId });

/** Moves a source, which must come about. */
export const moved = (caller: Caller, id: string, clientId: string | null) =>
  caller.api.changeSource(id, { clientId });

/** Every table whose rows belong to a layer, and to a Team. */
const LAYERED = `select t.relname as name from pg_class t
  join pg_attribute a on a.attrelid = t.oid and a.attname = 'layer_id' and not a.attisdropped
  where t.relnamespace = 'memory'::regnamespace and t.relkind = 'r'
    and t.relname not in ('audit_event', 'layer_tally', 'keyword_layer')
  order by 1`;

/** How many rows each table has in a layer of a Team; tables without one are left out. */
export async function rowsIn(
  { database }: Pick<TestApp, 'database'>,
  { teamId }: { teamId: string },
  clientId: string | null,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const { name } of await database.query<{ name: string }>(LAYERED)) {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from memory.${name} where team_id = $1 and layer_id = coalesce($2::uuid, team_id)`,
      [teamId, clientId],
    );
    if (row !== undefined && row.n > 0) rows[name] = row.n;
  }
  return rows;
}
