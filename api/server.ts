import type { AddressInfo } from 'node:net';
import type { Dependencies } from '../core/dependencies.ts';
import { storeUsesRegularly } from '../core/feedback/count-uses.ts';
import { buildApp } from './app.ts';
import { listeningFault } from './listening.ts';
import type { App } from './types.ts';

export interface RunningApi {
  readonly app: App;
  /** The address for a browser on this machine, such as `http://127.0.0.1:8787`. */
  readonly localUrl: string;
  /** From now on, `/readyz` returns 503 and every response ends its connection. Requests are still accepted. */
  readonly announceStop: () => void;
  /** Accepts no more requests and completes the running ones. Closes the connections that remain after 12 seconds. */
  stop(): Promise<void>;
}

/** How long requests can run after `stop` is called. Shorter than the time that the whole process has to stop. */
const MAX_DRAIN_MS = 12_000;

async function drain(app: App): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), MAX_DRAIN_MS);
  await app.close();
  clearTimeout(timer);
}

/** The last step of start-up: builds the app and listens. */
export async function startApi(deps: Dependencies): Promise<RunningApi> {
  const app = await buildApp(deps);
  const { host, port } = deps.config;
  await app.listen({ host, port }).catch((error: unknown) => {
    throw listeningFault(error, { host, port });
  });
  const stopStoring = storeUsesRegularly(deps.database);
  const stop = async () => {
    stopStoring();
    // Stores the last uses.
    await drain(app);
  };
  const announceStop = () => app.draining.begin();
  return { app, localUrl: localUrl(app.server.address() as AddressInfo), announceStop, stop };
}

/** The address for clients on this machine. A server that listens on every interface can be reached by loopback. */
function localUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
