import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, ConfigError } from '../shared/config.ts';

type Address = Pick<Config, 'host' | 'port'>;

/**
 * Why the service cannot listen, with the variable that changes it; any other error unchanged.
 * @param error of an attempt to listen
 */
export function listeningFault(error: unknown, { host, port }: Address): unknown {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  switch ((error as { code?: unknown }).code) {
    case 'EADDRINUSE':
      return new ConfigError([
        `MEMORY_API_PORT: ${address} is in use; stop what listens there, which may be this service, or set another port`,
      ]);
    case 'EACCES':
      return new ConfigError([`MEMORY_API_PORT: ${address} needs more rights; set a port from 1024 on`]);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError([`MEMORY_API_HOST: ${host} is not an address of this machine; set one that is`]);
    default:
      return error;
  }
}

/**
 * Asserts that the service will be able to listen, and listens no longer than it takes to find out. For the mains,
 * before the first step of start-up: listening is the last one, and a start that cannot end well must leave no database
 * behind.
 * @throws ConfigError naming the variable
 */
export async function assertCanListen({ host, port }: Address): Promise<void> {
  // A client that comes now is turned away, as a moment earlier.
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
