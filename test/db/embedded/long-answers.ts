import { openEmbedded } from '../../../db/driver/embedded.ts';

/* A process that asks its embedded database for two million rows in all, and prints how many it got. */
const database = await openEmbedded({ dataDir: null });
let rows = 0;
for (let n = 0; n < 100; n += 1) {
  rows += (await database.query(`select 'heron ' || n as text from generate_series(1, 20000) n`)).length;
}
await database.close();
process.stdout.write(`${rows}\n`);
