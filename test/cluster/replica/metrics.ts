import { send } from '../../faults/load/client.ts';
import type { RunningApi } from '../processes.ts';

/** The credential of the metrics. */
export const METRICS_TOKEN = 'metrics-token-of-the-tests';

const READS = /^memory_replica_reads_total\{server="(?:replica|primary)"(?:,reason="(\w+)")?\} (\d+)$/gm;

async function metricsOf(api: RunningApi): Promise<string> {
  return (await send(api.url, { method: 'GET', path: '/metrics', token: METRICS_TOKEN })).text;
}

/** Whether an API can read its replica. */
export async function isReplicaUsable(api: RunningApi): Promise<boolean> {
  return /^memory_replica_usable 1$/m.test(await metricsOf(api));
}

/** How many reads of an API its replica has answered, and the primary for each reason. */
export async function readsBy(api: RunningApi): Promise<{ replica: number; [reason: string]: number }> {
  const counts = [...(await metricsOf(api)).matchAll(READS)].map(
    ([, reason = 'replica', count]) => [reason, Number(count)] as const,
  );
  return { replica: Number.NaN, ...Object.fromEntries(counts) };
}

/** How many reads of an API each server has answered. */
export async function readsOn(api: RunningApi): Promise<{ replica: number; primary: number }> {
  const { replica, ...primary } = await readsBy(api);
  return { replica, primary: Object.values(primary).reduce((sum, count) => sum + count, 0) };
}
