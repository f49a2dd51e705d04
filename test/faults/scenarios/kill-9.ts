import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { createLogger } from '../../../shared/logger.ts';
import { seededRandom } from '../../support/generated-text.ts';
import { importOutcome } from '../../support/imports-once.ts';
import { type KillableService, killWhileImporting } from '../../support/killed-imports.ts';
import { type System, startSystem } from '../load/system.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';

const PLAN = { imports: 100, kills: 6, processes: 2 };
const API_KILLS = 2;

/** Kills the API with kill -9 and starts it again, a few times. */
async function killApi(system: System, { signal, seed }: ScenarioContext): Promise<void> {
  const random = seededRandom(seed);
  for (let kill = 0; kill < API_KILLS; kill += 1) {
    await sleep(3000 + random() * 3000, undefined, { signal });
    await system.apis[0]?.kill9();
    await system.startApi(0);
  }
}

export const kill9: Scenario = {
  name: 'kill-9',
  summary:
    'kills workers and the API with kill -9 while files are imported; each is stored once, with its exact text',
  limitSeconds: 240,
  run: async (context, findings) => {
    const system = await startSystem(context, { workers: 0 });
    const database = openPostgres(system.databaseUrl, createLogger('fatal', 'test'), { max: 4 });
    context.defer(() => database.close());
    const service: KillableService = {
      url: system.url,
      startWorker: () => system.startWorker(),
      openDatabase: () => Promise.resolve(database),
      close: () => Promise.resolve(),
    };
    const began = performance.now();
    const [ids] = await Promise.all([
      killWhileImporting(service, context.signal, PLAN),
      killApi(system, context),
    ]);
    const seconds = (performance.now() - began) / 1000;
    const { lost, doubled, attempts } = await importOutcome(database, ids);
    const runs = [...attempts].map(([count, imports]) => `${imports} in ${count}`).join(', ');
    findings.figure(`${PLAN.imports} imports, ${PLAN.kills} worker and ${API_KILLS} API kills`);
    findings.figure(`lost ${lost}, doubled ${doubled}, done after ${seconds.toFixed(0)} s`);
    findings.figure(`imports by runs: ${runs}`);
    findings.expect(lost === 0, `${lost} accepted imports are not stored with their exact text`);
    findings.expect(doubled === 0, `${doubled} records are there more than once`);
    await system.stop(findings);
  },
};
