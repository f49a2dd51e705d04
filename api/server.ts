import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { Dependencies } from '../core/dependencies.ts';
import { storeUsesRegularly } from '../core/feedback/commands.ts';
import { type Config, ConfigError } from '../shared/config.ts';
import { type CheckResult, checkPart } from '../shared/settings/start-report.ts';
import { buildApp } from './app.ts';
import type { App } from './types.ts';

type Address = Pick<Config, 'host' | 'port'>;

const addressText = ({ host, port }: Address) =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * Explains why the service cannot listen, and names the variable to change. Returns any other error unchanged.
 * @param error the error of an attempt to listen
 */
export function listeningFault(error: unknown, { host, port }: Address): unknown {
  const address = addressText({ host, port });
  switch ((error as { code?: unknown }).code) {
    case 'EADDRINUSE':
      return new ConfigError([
        `MEMORY_API_PORT: ${address} is in use; stop the process that listens there, which can be this service, or set another port`,
      ]);
    case 'EACCES':
      return new ConfigError([
        `MEMORY_API_PORT: user ${process.getuid?.() ?? 'of this process'} has no permission to listen on ${address}; set a port of 1024 or higher, such as MEMORY_API_PORT=8787`,
      ]);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError([`MEMORY_API_HOST: ${host} is not an address of this machine; set one that is`]);
    default:
      return error;
  }
}

/**
 * Asserts that the service can listen: listens for a moment, and closes again. A `main` calls it before the first
 * step of start-up. Listening is the last step, and a start-up that will fail there must not create a database.
 * @throws ConfigError that names the variable
 */
export async function assertCanListen({ host, port }: Address): Promise<void> {
  // A caller that connects now is refused, as if nothing listened yet.
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw listeningFault(error, { host, port });
  }
  server.close();
  await once(server, 'close');
}

/** How long a service that listens already can take to answer. */
const ANSWER_MS = 2000;

/** Whether this service answers on the address, in place of another program. */
async function isServed({ host, port }: Address): Promise<boolean> {
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  try {
    const answer = await fetch(`http://${addressText({ host: local, port })}/v1/health`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const health = (await answer.json()) as { backend?: unknown; embedder?: unknown } | null;
    return health?.backend !== undefined && health.embedder !== undefined;
  } catch {
    return false;
  }
}

/**
 * Checks that the service can listen. An address that a running service of this kind uses is no fault, because an operator
 * checks a new version before the old one is stopped.
 */
export async function* checkAddress(address: Address): AsyncGenerator<CheckResult, void> {
  const text = addressText(address);
  const checked = await checkPart('address', async () => {
    await assertCanListen(address);
    return address.port === 0 ? `a free port of ${address.host}` : `${text} is free`;
  });
  const isInUse = checked.state === 'failed' && checked.text.includes(' is in use; ');
  if (isInUse && (await isServed(address)))
    yield {
      name: checked.name,
      state: 'warning',
      text: `${text} is in use by a running service: stop it before the start`,
    };
  else yield checked;
}

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

/**
 * The command that makes the link with which the Owner sets the first password. The API prints the command and not the
 * link, because its log can be read by people who must not become the Owner. The command needs `MEMORY_API_TOKEN`.
 * @param localUrl where the API listens, for a service that is not told its public address
 */
export function ownerLinkCommand({ publicUrl }: Pick<Config, 'publicUrl'>, localUrl: string): string {
  return `npm run -s cli -- owner-reset-link --url ${publicUrl ?? localUrl}`;
}

/**
 * How V8 collects garbage in the API process. They are set here and not on the command line, so that every way to start
 * the process has them.
 */
export const GARBAGE_COLLECTION_FLAGS = [
  // Counts external memory, which contains bodies and their texts, towards the limit of the heap. By default it has its
  // own limit of 64 MiB. Three requests of 250 chunks with vectors reached that limit, and each time V8 marked the
  // whole heap. With the flag, a chunk takes a tenth less work (`npm run bench:search -- --parts ingest`).
  '--external-memory-accounted-in-global-limit',
  // Collects when the heap has grown by this share since the last time. By default it can grow fourfold, and then what
  // is left of large bodies stays in memory for minutes (`npm run bench:memory`). This is no limit: the process does not
  // fail if it needs more.
  '--heap-growing-percent=30',
] as const;

/** Call once, before much memory is allocated. A V8 that does not know a flag reports that on stderr and ignores it. */
export function setGarbageCollectionFlags(): void {
  for (const flag of GARBAGE_COLLECTION_FLAGS) setFlagsFromString(flag);
}
