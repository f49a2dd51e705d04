import type { AddressInfo } from 'node:net';
import { type App, buildApp } from './app.ts';
import type { Dependencies } from './dependencies.ts';

export interface RunningApi {
  readonly app: App;
  /** Where a browser on this machine reaches it: `http://127.0.0.1:8787`. */
  readonly localUrl: string;
  /** Takes no more requests and finishes those that run. */
  stop(): Promise<void>;
}

/** The last step of start-up: builds the app and listens. */
export async function startApi(deps: Dependencies): Promise<RunningApi> {
  const app = await buildApp(deps);
  await app.listen({ host: deps.config.host, port: deps.config.port });
  return { app, localUrl: localUrl(app.server.address() as AddressInfo), stop: () => app.close() };
}

/** An address of this machine that leads to what is listened on: every interface means loopback too. */
function localUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
