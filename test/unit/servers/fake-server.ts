import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a server of these tests says of itself. */
export interface FakeState {
  timeline: string;
  onlyReads?: boolean;
  /** The cluster that it belongs to. */
  system?: string;
  /** Whether it hides its log, as some hosted servers do. */
  hidesLog?: boolean;
  /** Its name, under which its statements are counted. */
  name: string;
}

/** Speaks as much of PostgreSQL's protocol as a connection needs that is looked at and then used for statements. */
export interface FakeServer {
  readonly port: number;
  /** How many connections were opened so far. */
  connections(): number;
  /** The statements that each server has run, by its name, without those that look at it. */
  readonly statements: Readonly<Record<string, string[]>>;
  /** Ends all connections and accepts no more. */
  close(): Promise<void>;
}

export interface FakeOptions {
  /**
   * The server that answers a connection, by the number of the connection: a server that is reached directly is always
   * the same one, and a proxy chooses. Null: the connection ends at once.
   */
  choose: (connection: number) => FakeState | null;
  /** Whether a proxy is in between, so that the server is at another place than the one that was connected to. */
  isProxy?: boolean;
  host?: string;
  port?: number;
}

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeInt32BE(value, 4 * index));
  return bytes;
};
const text = (value: string) => Buffer.from(`${value}\0`);
const READY = message('Z', Buffer.from('I'));
const DONE = message('C', text('SELECT 1'));

const BOOL = 16;
const INT4 = 23;
const TEXT = 25;

function row(columns: readonly (readonly [name: string, type: number, value: string])[]): Buffer {
  const fields = columns.map(([name, type]) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
  );
  const values = columns.map(([, , value]) =>
    Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
  );
  const count = int16(columns.length);
  return Buffer.concat([
    message('T', Buffer.concat([count, ...fields])),
    message('D', Buffer.concat([count, ...values])),
    DONE,
  ]);
}

const denied = message(
  'E',
  Buffer.concat([text('SERROR'), text('C42501'), text('Mpermission denied'), Buffer.of(0)]),
);

/** Starts a server, or a proxy in front of several. */
export async function startFakeServer({
  choose,
  isProxy = false,
  host = '127.0.0.1',
  port = 0,
}: FakeOptions): Promise<FakeServer> {
  const sockets = new Set<Socket>();
  const statements: Record<string, string[]> = {};
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    const pid = opened;
    const state = choose(opened);
    if (state === null) {
      socket.destroy();
      return;
    }
    const { timeline, onlyReads = false, system = 'cluster', hidesLog = false, name } = state;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    const answer = (statement: string): Buffer => {
      if (statement.includes('pg_control_system')) return row([['system', TEXT, system]]);
      if (statement.includes('pg_is_in_recovery')) {
        if (hidesLog) return denied;
        return row([
          ['onlyReads', BOOL, onlyReads ? 't' : 'f'],
          ['timeline', TEXT, timeline],
          ['pid', INT4, String(pid)],
          ['place', TEXT, isProxy ? '10.0.0.1 5432' : `${socket.localAddress} ${socket.localPort}`],
        ]);
      }
      (statements[name] ??= []).push(statement);
      return DONE;
    };
    let rest = Buffer.alloc(0);
    let isStarted = false;
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        const head = isStarted ? 1 : 0;
        if (rest.length < head + 4 || rest.length < head + rest.readInt32BE(head)) return;
        const end = head + rest.readInt32BE(head);
        const [type, body] = [rest.toString('latin1', 0, head), rest.subarray(head + 4, end)];
        rest = rest.subarray(end);
        if (!isStarted) {
          isStarted = true;
          socket.write(Buffer.concat([message('R', int32(0)), message('K', int32(pid, 0)), READY]));
        } else if (type === 'Q') {
          socket.write(Buffer.concat([answer(body.toString('utf8', 0, body.length - 1)), READY]));
        } else if (type === 'X') socket.end();
      }
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => opened,
    statements,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
