import { writeSync } from 'node:fs';
import { openEmbedded } from '../../../db/driver/embedded.ts';

/*
 * Writes a long log into a folder without a checkpoint, as an earlier version of the service did. Prints how many rows
 * were acknowledged, and is killed.
 */
const [, , folder = ''] = process.argv;
const database = await openEmbedded({ dataDir: folder, checkpointBytes: Number.POSITIVE_INFINITY });
await database.query('create table note (text text)');
await database.query('alter table note alter text set storage plain');
const ROWS = 6000;
let rows = 0;
for (; rows < 10 * ROWS; rows += ROWS) {
  await database.query(`insert into note select repeat('t', 1900) from generate_series(1, $1::int)`, [ROWS]);
}
writeSync(1, String(rows));
process.kill(process.pid, 'SIGKILL');
