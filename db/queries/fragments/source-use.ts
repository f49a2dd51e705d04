import { wireTime } from './layers.ts';

/** How often a source was found and opened, as the database returns it; null if never. */
export type StoredUse = { found: number; opened: number; lastFoundAt: string | null } | null;

/** How often a source was found and opened, as it is sent to clients. */
export interface ShownUse {
  found: number;
  opened: number;
  lastFoundAt: string | null;
}

/**
 * SQL for the column `use`, a `StoredUse`.
 * @param alias the alias of the row in the query
 * @param sourceId its column with the id of the source
 */
export function sourceUse(alias: string, sourceId: string): string {
  return `(select jsonb_build_object('found', u.found, 'opened', u.opened, 'lastFoundAt', u.last_found_at)
             from memory.source_use u where u.team_id = ${alias}.team_id and u.source_id = ${alias}.${sourceId}) as "use"`;
}

/** Converts a use to what is sent to clients. */
export function toUse(use: StoredUse): ShownUse {
  const { found = 0, opened = 0, lastFoundAt = null } = use ?? {};
  return { found, opened, lastFoundAt: lastFoundAt === null ? null : wireTime(new Date(lastFoundAt)) };
}
