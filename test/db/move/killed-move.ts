import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { moveDatabase } from '../../../db/move/move-database.ts';

/*
 * Moves a database, and is killed on the way: `killed-move.ts FROM TO PLACE`. The place is a file that must exist, or a
 * step and the name of a table, such as `moving memory.chunk`, and a number of its rows.
 */

const [from = '', to = '', place = ''] = process.argv.slice(2);
const kill = () => process.kill(process.pid, 'SIGKILL');

const [step, table, rows] = place.split(' ');
const moving = moveDatabase({ from, to }, (at) => {
  // Not at once: the next page is on its way then.
  if (at.step === step && at.table === table && at.rows >= Number(rows)) setTimeout(kill, 3);
});
if (table === undefined) {
  while (!existsSync(place)) await pause(2);
  kill();
}
await moving;
