import { once } from 'node:events';
import { connect } from 'node:net';

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

/** An answer on its way. */
interface Answer {
  parts: Buffer[];
  size: number;
  /** How long all of it is, once its head is there. */
  whole: number | null;
  end(bytes: Buffer): void;
  fail(error: Error): void;
}

function take(answer: Answer, part: Buffer): void {
  answer.parts.push(part);
  answer.size += part.length;
  answer.whole ??= answerLength(answer.parts.length === 1 ? part : Buffer.concat(answer.parts));
  if (answer.whole !== null && answer.size >= answer.whole) answer.end(Buffer.concat(answer.parts));
}

/** Connects to a server on this machine. */
export async function keepConnection(url: URL): Promise<KeptConnection> {
  const socket = connect(Number(url.port), url.hostname);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  let awaited: Answer | null = null;
  let lost: Error | null = null;
  const lose = (error: Error) => {
    lost ??= error;
    awaited?.fail(lost);
  };
  // Listeners that stay: to add and remove them for each answer took as long as to read it.
  socket.on('data', (part) => awaited !== null && take(awaited, part));
  socket.on('error', lose);
  socket.on('close', () => lose(new Error('the connection was closed')));
  return {
    send: async (request) => {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      if (lost !== null) throw lost;
      awaited = { parts: [], size: 0, whole: null, end: resolve, fail: reject };
      socket.write(request);
      const answer = await promise;
      awaited = null;
      if (!/^HTTP\/1\.1 20[01] /.test(answer.toString('latin1', 0, 13))) throw new Error(answer.toString());
    },
    close: () => socket.destroy(),
  };
}
