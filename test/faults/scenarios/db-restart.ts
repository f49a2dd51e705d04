import { startSystem } from '../load/system.ts';
import { faultUnderLoad } from '../load/under-load.ts';
import { type Scenario, Skipped } from '../scenario.ts';

export const dbRestart: Scenario = {
  name: 'db-restart',
  summary: 'crashes the database server under load and starts it 10 s later; the service goes on by itself',
  limitSeconds: 240,
  run: async (context, findings) => {
    const { crashPostgres } = context;
    if (crashPostgres === null) throw new Skipped('the server of MEMORY_TEST_DATABASE_URL is not crashed');
    const system = await startSystem(context);
    await faultUnderLoad(context, findings, system, crashPostgres);
  },
};
