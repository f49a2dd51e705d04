import assert from 'node:assert/strict';
import type { TestApp } from '../../support/app.ts';
import type { Caller } from '../../support/team.ts';

/** How many rows are kept for restoring in a Team. */
export async function keptRows(
  { database }: Pick<TestApp, 'database'>,
  { teamId }: { teamId: string },
): Promise<{ sources: number; chunks: number }> {
  const [row] = await database.query<{ sources: number; chunks: number }>(
    `select (select count(*)::int from memory.kept_source where team_id = $1) as sources,
            (select count(*)::int from memory.kept_chunk where team_id = $1) as chunks`,
    [teamId],
  );
  assert.ok(row);
  return row;
}

/** Moves the time at which a source was archived into the past. */
export async function archivedBefore(
  { database }: Pick<TestApp, 'database'>,
  id: string,
  age: string,
): Promise<void> {
  await database.query(
    'update memory.kept_source set archived_at = now() - $2::interval where source_id = $1',
    [id, age],
  );
}

/** Restores a source, which must come about. */
export const restored = (caller: Caller, id: string) => caller.api.restoreSource(id);
