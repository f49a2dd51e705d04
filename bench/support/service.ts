import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../test/support/needs/process.ts';

/** Waits until a process of the service can answer. */
export async function untilReady(url: string, service: ServiceProcess): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const ready = await fetch(`${url}/readyz`).catch(() => null);
    if (ready?.ok === true) return;
    if (tries > 600 || service.child.exitCode !== null) {
      throw new Error(`the service does not start:\n${[...service.stdout, ...service.stderr].join('\n')}`);
    }
    await sleep(200);
  }
}
