import { writeFileSync } from 'node:fs';
import { openEmbedded } from '../../../db/driver/embedded.ts';

/*
 * A process whose embedded database finds no space for its log, as on a disk that another program filled: run it with
 * `no-space.ts` imported. Says of each change that it was acknowledged.
 */
const [, , folder = ''] = process.argv;
const database = await openEmbedded({ dataDir: folder });
await database.query('create table note (n int, text text)');

for (let n = 1; n < 10; n += 1) {
  if (n === 4) writeFileSync(process.env['NO_SPACE_IF'] ?? '', '');
  await database.query('insert into note values ($1, $2)', [n, 'text']);
  process.stdout.write(`acknowledged ${n}\n`);
}
