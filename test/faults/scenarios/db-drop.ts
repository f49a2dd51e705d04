import { setTimeout as sleep } from 'node:timers/promises';
import { get, send } from '../load/client.ts';
import { startSystem } from '../load/system.ts';
import { faultUnderLoad } from '../load/under-load.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { openTcpProxy, type TcpProxy, through } from '../tcp-proxy.ts';

/** Half-open connections are replaced and jobs go on within this time. */
const BACK_SECONDS = 30;

interface Health {
  ok: boolean;
  queue: boolean;
  worker: boolean;
}

async function healthOf(url: string): Promise<Health | undefined> {
  const { status, json } = await get(url, '/v1/memory/status', 15_000);
  return status === 200 ? (json as { health: Health }).health : undefined;
}

/** Gives the service a file. Returns the import's id. */
async function giveImport(url: string, context: ScenarioContext): Promise<string> {
  const items = [{ filename: 'after.txt', text: 'A file that was given after the connections were lost.' }];
  for (;;) {
    const { status, json } = await send(url, { method: 'POST', path: '/v1/memory/imports', body: { items } });
    const id = status === 202 ? (json as { imports: { id: string }[] }).imports[0]?.id : undefined;
    if (id !== undefined) return id;
    await sleep(250, undefined, { signal: context.signal });
  }
}

export const dbDrop: Scenario = {
  name: 'db-drop',
  summary: 'swallows every byte of the open database connections; API and worker replace them within 30 s',
  limitSeconds: 240,
  run: async (context, findings) => {
    const { signal } = context;
    let proxy: TcpProxy | undefined;
    const system = await startSystem(context, {
      reach: async (databaseUrl) => {
        const { hostname, port } = new URL(databaseUrl);
        const opened = await openTcpProxy({ host: hostname, port: Number(port || 5432) });
        proxy = opened;
        context.defer(() => opened.close());
        return through(databaseUrl, opened);
      },
    });
    const { url } = system;
    let droppedAt = 0;
    const secondsSince = () => (performance.now() - droppedAt) / 1000;
    await faultUnderLoad(
      context,
      findings,
      system,
      () => {
        const open = proxy?.connections ?? [];
        for (const connection of open) connection.swallow();
        droppedAt = performance.now();
        findings.figure(`${open.length} connections half-open`);
        findings.expect(open.length > 0, 'there was no connection to drop');
        return Promise.resolve();
      },
      async () => {
        const id = await giveImport(url, context);
        let claimedHealthy: number | undefined;
        for (;;) {
          const { json } = await get(url, `/v1/memory/imports/${id}`, 15_000);
          if ((json as { state?: string } | null)?.state === 'completed') break;
          const health = await healthOf(url);
          const late = secondsSince() > BACK_SECONDS;
          if (late && health?.ok === true && health.queue && health.worker) claimedHealthy ??= secondsSince();
          // Far beyond the limit there is nothing to wait for.
          if (secondsSince() > 3 * BACK_SECONDS) break;
          await sleep(250, undefined, { signal });
        }
        const seconds = secondsSince();
        findings.figure(`import given after it done ${seconds.toFixed(1)} s after the drop`);
        findings.expect(
          seconds <= BACK_SECONDS,
          `an import given after the drop was not completed within ${BACK_SECONDS} s of it`,
        );
        findings.expect(
          claimedHealthy === undefined,
          `status.health was all true ${claimedHealthy?.toFixed(0)} s after the drop, while no job ran`,
        );
      },
    );
  },
};
