import fs from 'node:fs';
import { openEmbedded } from '../../db/embedded.ts';

/*
 * A process whose embedded database finds no space for its log, as on a disk that another program filled. Says of each
 * change that it was acknowledged.
 */
const [, , folder = ''] = process.argv;
const database = await openEmbedded({ dataDir: folder });
await database.query('create table note (n int, text text)');

const { writeSync } = fs;
let isFull = false;
fs.writeSync = ((file: number, ...rest: unknown[]) => {
  if (isFull && fs.readlinkSync(`/proc/self/fd/${file}`).includes('/pg_wal/')) {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  return (writeSync as (...all: unknown[]) => number)(file, ...rest);
}) as typeof fs.writeSync;

for (let n = 1; n < 10; n += 1) {
  isFull = n === 4;
  await database.query('insert into note values ($1, $2)', [n, 'text']);
  process.stdout.write(`acknowledged ${n}\n`);
}
