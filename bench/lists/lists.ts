import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as AppModule from '../../test/support/app.ts';
import type { TestApp } from '../../test/support/app.ts';
import { ROOT } from '../../test/support/root.ts';
import { addClient } from '../../test/support/team.ts';
import { runBench } from '../support/bench.ts';
import { WITH_LIMITS } from '../support/child.ts';
import { backendsOf, startCpuTimer } from '../support/cpu.ts';
import type * as DatabasesModule from '../support/databases.ts';
import { type OwnDatabase, places, vacuum } from '../support/databases.ts';
import { median } from '../support/report.ts';
import { inTurns } from '../support/rounds.ts';
import { type Case, casesOf, type MeasuredTeam, type Request, textOf } from './cases.ts';
import { fillTeam } from './fill.ts';

const CLIENTS = 20;
/** Sources with passages, which batches change and searches find. */
const INGESTED = 620;
/** Requests of a case in a round, if it is not heavy. */
const REQUESTS = 5;

/** The service of one checkout, on a database of its own. */
interface Measured extends OwnDatabase {
  service: TestApp;
}

/** Opens the service of each checkout, one inside the other. */
async function withServices(
  [folder, ...others]: readonly string[],
  place: 'embedded' | 'server',
  use: (opened: readonly Measured[]) => Promise<void>,
  opened: readonly Measured[] = [],
): Promise<void> {
  if (folder === undefined) return use(opened);
  const load = async <Module>(path: string) =>
    (await import(pathToFileURL(join(folder, path)).href)) as Module;
  const { withDatabase } = await load<typeof DatabasesModule>('bench/support/databases.ts');
  const { buildTestApp } = await load<typeof AppModule>('test/support/app.ts');
  await withDatabase(place, async (own) => {
    const service = await buildTestApp(own.database, own.url, WITH_LIMITS);
    await withServices(others, place, use, [...opened, { ...own, service }]);
    await service.app.close();
    await service.queue.stop();
  });
}

async function openTeam(measured: Measured, size: number, lengths: readonly number[]): Promise<MeasuredTeam> {
  const { service, database } = measured;
  const company = await service.company();
  const clients: string[] = [];
  for (let n = 0; n < CLIENTS; n += 1) clients.push(await addClient(service, company));
  await fillTeam(database, company, clients, size);
  const ingest = async (characters: number, turn: number) => {
    const { source } = await company.api.ingestSource({
      title: `Text ${turn}`,
      text: textOf(characters, turn),
      scope: { clientId: clients[0]! },
    });
    return source.id;
  };
  const sources: string[] = [];
  for (let n = 0; n < INGESTED; n += 1) sources.push(await ingest(600, n));
  const texts = new Map<number, string>();
  for (const length of lengths) texts.set(length, await ingest(length, INGESTED));
  await vacuum(measured);
  const send = async (request: Request) => {
    const answer = await service.app.inject({ ...request, headers: company.headers });
    return answer.json<Record<string, unknown>>();
  };
  return { company, clients, sources, texts, send };
}

/** A case in the Team of one checkout. Its turns alternate between what a change does and what takes it back. */
interface Run {
  case: Case;
  measured: Measured;
  team: MeasuredTeam;
  turn: number;
}

const nextRequest = async (run: Run): Promise<Request> => {
  const { ask } = run.case;
  return typeof ask === 'string' ? { url: ask } : ask(run.team, run.turn++);
};

/** The CPU time of a request, in ms, of the service and the database. */
async function cpuOf(run: Run): Promise<number> {
  const { service, database } = run.measured;
  const requests = run.case.isHeavy === true ? 1 : REQUESTS;
  let used = 0;
  for (let n = 0; n < requests; n += 1) {
    const request = await nextRequest(run);
    const ofDatabase = database.backend === 'pglite' ? () => 0 : startCpuTimer(await backendsOf(database));
    const began = process.cpuUsage();
    const answer = await service.app.inject({ ...request, headers: run.team.company.headers });
    const { user, system } = process.cpuUsage(began);
    used += (user + system) / 1000 + ofDatabase();
    if (answer.statusCode >= 300) throw new Error(`${run.case.name}: ${answer.body}`);
  }
  return used / requests;
}

/** Whether a checkout has the route and its parameters: an earlier one does not know all of them. */
async function isKnown(run: Run): Promise<boolean> {
  const request = await nextRequest(run).catch(() => null);
  if (request === null) return false;
  const { headers } = run.team.company;
  const { statusCode } = await run.measured.service.app.inject({ ...request, headers });
  return statusCode < 300;
}

await runBench(
  {
    name: 'bench:lists',
    about: `What a page of each list costs, and what it costs to count, sort and filter it; to change many sources at once; and to read,
change and restore texts: CPU time in ms of a request, of the service and the database. "-": the checkout does not have it.`,
    options: {
      sizes: [[200, 10_000, 100_000], 'sources of the Teams'],
      rounds: [5, 'rounds'],
      texts: [[1000, 100_000, 8_000_000], 'characters of texts that are read and changed'],
      before: ['', 'the folder of another checkout, which is measured in turns with this one'],
      only: ['', 'cases whose names start with this'],
    },
    needs: ['both', 'linux'],
  },
  async ({ sizes, rounds, texts, before, only }, report) => {
    const cases = casesOf(texts).filter(({ name }) => name.startsWith(only));
    const folders = [...(before === '' ? [] : [before]), ROOT];
    for (const place of places()) {
      await withServices(folders, place, async (all) => {
        const columns: (number | string)[][] = [];
        for (const size of sizes) {
          const teams: MeasuredTeam[] = [];
          for (const one of all) teams.push(await openTeam(one, size, texts));
          const runs: Run[] = [];
          for (const one of cases)
            for (const [of, measured] of all.entries()) {
              const run = { case: one, measured, team: teams[of]!, turn: 0 };
              if (await isKnown(run)) runs.push(run);
            }
          const figures = new Map<Run, number>();
          // What is heavy takes seconds: its first request has to do as the warm-up.
          for (const isHeavy of [false, true]) {
            const some = runs.filter((run) => (run.case.isHeavy ?? false) === isHeavy);
            const cpu = await inTurns(some, { rounds, warmUp: isHeavy ? 0 : 2 }, cpuOf);
            for (const [at, run] of some.entries()) figures.set(run, median(cpu[at]!));
          }
          for (const team of teams)
            columns.push(
              cases.map((one) => {
                const run = runs.find((other) => other.case === one && other.team === team);
                return run === undefined ? '-' : figures.get(run)!;
              }),
            );
        }
        report.print(`${all[0]!.database.backend}: CPU in ms of a request, by sources of the Team`);
        report.row('', before === '' ? sizes.map(String) : sizes.flatMap((size) => [`${size}`, '']));
        if (before !== '')
          report.row(
            '',
            sizes.flatMap(() => ['before', 'now']),
          );
        for (const [index, { name }] of cases.entries())
          report.row(
            name,
            columns.map((column) => column[index]!),
          );
      });
    }
  },
);
