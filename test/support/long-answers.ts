import { openEmbedded } from '../../db/embedded.ts';

/* A process that asks its embedded database for 240 MiB in all, and prints how many answers it got. */
const database = await openEmbedded({ dataDir: null });
let answers = 0;
for (let n = 0; n < 120; n += 1) {
  const [row] = await database.query<{ text: string }>(`select repeat('heron ', 350000) || $1 as text`, [n]);
  if (row?.text.endsWith(` ${n}`)) answers += 1;
}
await database.close();
process.stdout.write(`${answers}\n`);
