import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, ConfigError } from '../shared/config.ts';
import { type CheckResult, checkPart } from '../shared/settings/setup-checks.ts';

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
