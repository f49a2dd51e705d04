import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { endProcesses, startMain } from '../../support/needs/process.ts';
import { endServers } from '../servers/debian.ts';
import { startPostgres } from '../servers/postgres.ts';
import { startReplica } from '../servers/replica.ts';

after(endServers);
after(endProcesses);

describe('the address of a replica', () => {
  test('ends the start of API and worker with one line that says what to do', async () => {
    const primary = await startPostgres();
    await primary.createDatabase('service');
    const replica = await startReplica(primary);
    for (const main of ['api/main.ts', 'worker/main.ts']) {
      const refused = startMain(main, { env: { MEMORY_DATABASE_URL: replica.url('service') } });
      assert.equal(await refused.exited, 1);
      assert.equal(refused.stderr.length, 1, refused.stderr.join('\n'));
      assert.match(refused.stderr[0] ?? '', /the database only reads.*MEMORY_DATABASE_URL/);
    }
  });
});
