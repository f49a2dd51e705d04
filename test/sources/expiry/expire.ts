import type { TestApp } from '../../support/app.ts';

/** Moves the expiry of sources, and of their memories, into the past. No worker runs, so nothing archives them. */
export async function expireSources(
  { database }: Pick<TestApp, 'database'>,
  ...ids: readonly (string | null)[]
): Promise<void> {
  await database.query(
    `update memory.source set expires_at = now() - interval '1 second' where id = any ($1::uuid[])`,
    [ids],
  );
  await database.query(
    `update memory.memory_item set expires_at = now() - interval '1 second' where source_id = any ($1::uuid[])`,
    [ids],
  );
}

/** Moves the expiry of memories in review into the past. */
export async function expireItems(
  { database }: Pick<TestApp, 'database'>,
  ...ids: readonly string[]
): Promise<void> {
  await database.query(
    `update memory.memory_item set expires_at = now() - interval '1 second' where id = any ($1::uuid[])`,
    [ids],
  );
}

/** A time in the future, as callers send it. */
export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
/** The states that are stored, whatever callers see. */
export async function storedStates(
  { database }: Pick<TestApp, 'database'>,
  ...ids: readonly string[]
): Promise<string[]> {
  const rows = await database.query<{ state: string }>(
    `select state from (select id, state from memory.source union all select id, state from memory.memory_item) r
      where id = any ($1::uuid[]) order by array_position($1::uuid[], id)`,
    [ids],
  );
  return rows.map(({ state }) => state);
}
