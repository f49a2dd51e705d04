import { openEmbedded } from '../../db/driver/embedded.ts';
import { CHECKPOINT_BYTES } from '../../db/driver/engine/checkpoints.ts';

/* Fills the embedded database of a service, and is killed at a moment: `writer.ts FOLDER MIB MOMENT`. */
const [folder = '', megabytes = '', moment] = process.argv.slice(2);
/** Rows of about 1 KiB, with 20 bytes each in an index. */
const ROWS = 1000;

const database = await openEmbedded({ dataDir: folder });
await database.query('create schema bench');
await database.query('create table bench.note (id uuid primary key, text text not null)');
for (let written = 0; written < Number(megabytes); written += 1) {
  await database.query(
    `insert into bench.note select gen_random_uuid(), repeat('t', 900) from generate_series(1, $1::int)`,
    [ROWS],
  );
}
if (moment === 'stop') {
  await database.close();
  process.exit(0);
}
const kill = () => process.kill(process.pid, 'SIGKILL');
const writtenBytes = async () => {
  const [row] = await database.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`,
  );
  return row?.bytes ?? 0;
};
if (moment === 'before-checkpoint') {
  // Rows all over the table and its index: each change writes a page of both.
  while ((await writtenBytes()) < 0.75 * CHECKPOINT_BYTES) {
    await database.query(
      `update bench.note set text = repeat('u', 900)
        where id in (select id from bench.note where id > (select gen_random_uuid()) order by id limit 200)`,
    );
  }
  kill();
}
// The first statement that reads a page after its rows were committed writes the page to the log: here all pages, which is
// the most that one statement of the service writes.
await database.query('select count(*) from bench.note');
kill();
