import type { Database } from '../../db/driver/database.ts';
import { type ServiceProcess, startMain } from '../support/needs/process.ts';
import { until } from '../support/process-table.ts';

/** An API process and its address. */
export interface StartedApi {
  api: ServiceProcess;
  url: string;
}

/** Starts an API on PostgreSQL. */
export async function startApi(env: Record<string, string>): Promise<StartedApi> {
  const api = startMain('api/main.ts', { env });
  const [, url = ''] = await api.line(/"url":"([^"]+)".*"msg":"listening"/);
  return { api, url };
}

/** Sends a request, and kills its API when it waits for a table that is locked here. Returns its answer. */
export async function killAt<T>(
  signal: AbortSignal,
  database: Database,
  { api, url }: StartedApi,
  { table, send }: { table: string; send: (url: string) => Promise<T> },
): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query(`lock table ${table} in share mode`);
    const answered = send(url);
    await until(signal, async () => {
      const waiting = await tx.query(
        `select from pg_locks where relation = '${table}'::regclass and not granted`,
      );
      return waiting.length > 0;
    });
    await api.kill9();
    return answered;
  });
}

/**
 * Counts the requests that a service answers until another request has ended, or until there are enough. So it tells how far
 * that request has come.
 */
export async function turnsDuring(url: string, answered: Promise<unknown>, enough: number): Promise<number> {
  let done = false;
  void answered.then(() => {
    done = true;
  });
  let turns = 0;
  while (!done && turns < enough) {
    await (await fetch(`${url}/livez`)).text();
    turns += 1;
  }
  return turns;
}
