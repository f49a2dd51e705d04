import { after, describe, test } from 'node:test';
import { assertOnce } from '../support/imports-once.ts';
import { killableService, killableWorkers, killWhileImporting } from '../support/killed-imports.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { endProcesses } from '../support/needs/process.ts';

after(endProcesses);

describe('kill -9 while imports run', () => {
  const database = databaseUrl === undefined ? 'the embedded database' : 'PostgreSQL';
  test(`kill -9 loses no import and stores none a second time on ${database}`, {
    timeout: 280_000,
  }, async (t) => {
    const [service, plan] =
      databaseUrl === undefined
        ? [await killableService(), { imports: 80, kills: 3, processes: 1 }]
        : [await killableWorkers(databaseUrl), { imports: 160, kills: 6, processes: 2 }];
    t.after(() => service.close());
    const ids = await killWhileImporting(service, t.signal, plan);
    const reopened = await service.openDatabase();
    try {
      await assertOnce(reopened, ids);
    } finally {
      await reopened.close();
    }
  });
});
