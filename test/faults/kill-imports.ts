import { parseArgs } from 'node:util';
import { type ImportOutcome, importOutcome } from '../support/imports-once.ts';
import {
  type KillPlan,
  killableService,
  killableWorkers,
  killWhileImporting,
} from '../support/killed-imports.ts';

/*
 * Kills workers again and again while imports run, and says what was lost and what doubled:
 *
 *   node test/faults/kill-imports.ts [--imports 1000] [--kills 100] [--processes 3]
 *
 * On the server that MEMORY_TEST_DATABASE_URL names, in a database of its own, with worker processes beside an API:
 * some ten minutes. Without it on the embedded database, where the one process that there is gets killed: fewer
 * imports and kills unless told otherwise. Ends with 1 if anything was lost or doubled.
 */

const url = process.env['MEMORY_TEST_DATABASE_URL'] || undefined;

function readPlan(): KillPlan {
  const usual =
    url === undefined
      ? { imports: '300', kills: '15', processes: '1' }
      : { imports: '1000', kills: '100', processes: '3' };
  const { values } = parseArgs({
    options: {
      imports: { type: 'string', default: usual.imports },
      kills: { type: 'string', default: usual.kills },
      processes: { type: 'string', default: usual.processes },
    },
  });
  const [imports, kills, processes] = [values.imports, values.kills, values.processes].map(Number);
  const fits = [imports, kills, processes].every((value) => Number.isInteger(value) && Number(value) > 0);
  if (!fits || imports === undefined || kills === undefined || processes === undefined) {
    throw new Error('--imports, --kills and --processes are whole numbers from 1');
  }
  if (url === undefined && processes > 1) throw new Error('the embedded database has one process');
  return { imports, kills, processes };
}

function printFigures(plan: KillPlan, outcome: ImportOutcome, seconds: number): void {
  const histogram = [...outcome.attempts].map(([runs, imports]) => `${imports} with ${runs}`).join(', ');
  const rows: [string, string | number][] = [
    ['database', url === undefined ? 'embedded' : 'PostgreSQL'],
    ['imports', plan.imports],
    ['processes at once', plan.processes],
    ['kill -9', plan.kills],
    ['lost', outcome.lost],
    ['doubled', outcome.doubled],
    ['runs', outcome.runs],
    ['imports by runs', histogram],
    ['leftovers pruned', outcome.leftovers],
    ['seconds', seconds.toFixed(0)],
  ];
  process.stdout.write(`${rows.map(([name, value]) => `${name.padEnd(18)} ${value}`).join('\n')}\n`);
}

const plan = readPlan();
const service = url === undefined ? await killableService() : await killableWorkers(url);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('interrupted')));
try {
  const began = performance.now();
  const ids = await killWhileImporting(service, stop.signal, plan);
  const seconds = (performance.now() - began) / 1000;
  const database = await service.openDatabase();
  try {
    const outcome = await importOutcome(database, ids);
    printFigures(plan, outcome, seconds);
    if (outcome.lost > 0 || outcome.doubled > 0) process.exitCode = 1;
  } finally {
    await database.close();
  }
} finally {
  await service.close();
}
