import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What a proxy does with the bytes of a connection, in both directions. */
type Passing = 'pass' | 'swallow';

/** One connection that goes through a proxy. */
export interface ProxiedConnection {
  /** Accepts every byte from now on and passes none on, the end of the connection included: it is half-open. */
  swallow(): void;
  /** Ends it on both sides, without a goodbye. */
  cut(): void;
}

/** A proxy between a client and a server on this machine, which can fail as a network does. */
export interface TcpProxy {
  readonly port: number;
  /** Those that are open, in the order in which they were made. */
  readonly connections: readonly ProxiedConnection[];
  /** What becomes of connections that are made from now on. They pass at first. */
  onNew(passing: Passing): void;
  close(): Promise<void>;
}

/** A URL that leads to the same place through the proxy. */
export function through(url: string, proxy: TcpProxy): string {
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String(proxy.port);
  return proxied.href;
}

/** Opens a proxy on a free loopback port. */
export async function openTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const open = new Set<ProxiedConnection>();
  let passingOfNew: Passing = 'pass';
  // The other side must not be closed by itself: what ends on one side of a half-open connection stays open on the other.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ ...target, allowHalfOpen: true });
    let passing = passingOfNew;
    const connection: ProxiedConnection = {
      swallow: () => {
        passing = 'swallow';
      },
      cut: () => {
        open.delete(connection);
        client.destroy();
        upstream.destroy();
      },
    };
    open.add(connection);
    const forward = (from: Socket, to: Socket) => {
      const passes = () => passing === 'pass' && !to.destroyed;
      from.on('data', (bytes: Buffer) => {
        if (passes()) to.write(bytes);
      });
      from.on('end', () => {
        if (passes()) to.end();
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        if (passing === 'pass') connection.cut();
      });
    };
    forward(client, upstream);
    forward(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return [...open];
    },
    onNew: (passing) => {
      passingOfNew = passing;
    },
    close: async () => {
      server.close();
      for (const connection of open) connection.cut();
      await once(server, 'close');
    },
  };
}
