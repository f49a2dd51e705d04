import type { Database } from '../../../db/driver/database.ts';

/** A text that makes so many chunks or a few more. */
export function textOfChunks(chunks: number): string {
  return Array.from({ length: chunks }, (_, n) => `${n} `.repeat(300)).join('\n\n');
}

/**
 * Has each statement that writes chunks take so many seconds, as on a busy database, until told otherwise. For a
 * database of the test's own.
 */
export async function slowStoring(
  database: Database,
  seconds: number,
): Promise<{ set(seconds: number): Promise<void> }> {
  await database.transaction((tx) =>
    database.script(
      tx,
      `create table public.pace (seconds float8);
       insert into public.pace values (${seconds});
       create function public.take_long() returns trigger language plpgsql security definer as
         $$ begin perform pg_sleep((select seconds from public.pace)); return null; end $$;
       create trigger take_long after insert on memory.chunk for each statement execute function public.take_long()`,
    ),
  );
  return {
    set: async (now) => {
      await database.query('update public.pace set seconds = $1', [now]);
    },
  };
}
