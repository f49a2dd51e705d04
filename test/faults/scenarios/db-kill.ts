import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startSystem } from '../load/system.ts';
import { faultUnderLoad } from '../load/under-load.ts';
import type { Scenario } from '../scenario.ts';

const ROUNDS = 30;

export const dbKill: Scenario = {
  name: 'db-kill',
  summary: 'ends database connections at random under load; acknowledged writes are neither lost nor doubled',
  limitSeconds: 240,
  run: async (context, findings) => {
    const system = await startSystem(context);
    let ended = 0;
    await faultUnderLoad(context, findings, system, async () => {
      const client = new pg.Client({ connectionString: system.databaseUrl });
      await client.connect();
      try {
        for (let round = 0; round < ROUNDS; round += 1) {
          const { rowCount } = await client.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid() order by random() limit 12`,
          );
          ended += rowCount ?? 0;
          await sleep(500, undefined, { signal: context.signal });
        }
      } finally {
        await client.end();
      }
    });
    findings.figure(`${ended} connections ended in ${ROUNDS} rounds`);
    findings.expect(ended > 0, 'no connection was ended');
  },
};
