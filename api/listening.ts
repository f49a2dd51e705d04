import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, ConfigError } from '../shared/config.ts';

type Address = Pick<Config, 'host' | 'port'>;

/**
 * Explains why the service cannot listen, and names the variable to change. Returns any other error unchanged.
 * @param error the error of an attempt to listen
 */
export function listeningFault(error: unknown, { host, port }: Address): unknown {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  switch ((error as { code?: unknown }).code) {
    case 'EADDRINUSE':
      return new ConfigError([
        `MEMORY_API_PORT: ${address} is in use; stop the process that listens there, which can be this service, or set another port`,
      ]);
    case 'EACCES':
      return new ConfigError([
        `MEMORY_API_PORT: no permission to listen on ${address}; set a port of 1024 or higher`,
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
