import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server that counts how often a client has waited for it. */
export interface CountingProxy {
  readonly port: number;
  /**
   * How often a client has sent something after it had received everything before: the round trips so far. Statements
   * that are sent without waiting for answers count once.
   */
  readonly roundTrips: number;
  close(): Promise<void>;
}

/** A URL that leads to the same database through the proxy. */
export function throughProxy(url: string, { port }: CountingProxy): string {
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String(port);
  return proxied.href;
}

/** Opens a proxy to the server of `url` on a free loopback port. */
export async function openCountingProxy(url: string): Promise<CountingProxy> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let roundTrips = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port || 5432), noDelay: true });
    let clientWaits = false;
    client.on('data', (bytes) => {
      if (!clientWaits) roundTrips += 1;
      clientWaits = true;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      clientWaits = false;
      client.write(bytes);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get roundTrips() {
      return roundTrips;
    },
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
