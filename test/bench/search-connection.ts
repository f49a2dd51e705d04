import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Asks over plain connections that stay open, one request on each at a time: with requests that are bytes already and
 * answers that nobody takes apart, asking costs little of the machine that is measured.
 */
export interface KeptConnection {
  /**
   * Sends a request as `requestBytes` makes it; resolves when the whole answer is there.
   * @throws Error with the answer for any status but 200 and 201
   */
  send(request: Buffer): Promise<void>;
  close(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** The bytes of a POST with a body of JSON. */
export function requestBytes(url: URL, path: string, headers: Record<string, string>, body: unknown): Buffer {
  const payload = Buffer.from(JSON.stringify(body));
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json',
    `content-length: ${payload.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), payload]);
}

/** How long an answer is with its head, or null while the head is not all there. */
function answerLength(received: Buffer): number | null {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return null;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1];
  if (length === undefined) throw new Error('an answer says how long it is');
  return end + HEAD_END.length + Number(length);
}

/** Reads one answer to its end. */
async function readAnswer(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  let whole: number | null = null;
  for (;;) {
    const [part] = (await once(socket, 'data')) as [Buffer];
    parts.push(part);
    size += part.length;
    whole ??= answerLength(parts.length === 1 ? part : Buffer.concat(parts));
    if (whole !== null && size >= whole) return Buffer.concat(parts);
  }
}

/** Connects to a server on this machine. */
export async function keepConnection(url: URL): Promise<KeptConnection> {
  const socket = connect(Number(url.port), url.hostname);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return {
    send: async (request) => {
      const answered = readAnswer(socket);
      socket.write(request);
      const answer = await answered;
      if (!/^HTTP\/1\.1 20[01] /.test(answer.toString('latin1', 0, 13))) throw new Error(answer.toString());
    },
    close: () => socket.destroy(),
  };
}
