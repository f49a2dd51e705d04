import type { AddressInfo } from 'node:net';
import type { Dependencies } from '../core/dependencies.ts';
import { buildApp } from './app.ts';
import { listeningFault } from './listening.ts';
import type { App } from './types.ts';

export interface RunningApi {
  readonly app: App;
  /** Where a browser on this machine reaches it: `http://127.0.0.1:8787`. */
  readonly localUrl: string;
  /** Takes no more requests and finishes those that run; hangs up on one that its client does not end. */
  stop(): Promise<void>;
}

/** How long requests may go on once the service is told to stop: less than the whole process has for it. */
const HANG_UP_MS = 12_000;

async function drain(app: App): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), HANG_UP_MS);
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
  return { app, localUrl: localUrl(app.server.address() as AddressInfo), stop: () => drain(app) };
}

/** An address of this machine that leads to what is listened on: every interface means loopback too. */
function localUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
