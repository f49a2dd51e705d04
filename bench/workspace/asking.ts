import { Agent, request } from 'node:http';

/** What came back, and when all of it had: JSON that is not taken apart yet. */
export interface Timed {
  ms: number;
  body: Buffer;
}

/** Asks a server over a connection that stays open. */
export interface Asking {
  get(path: string, headers: Record<string, string>): Promise<Timed>;
  post(path: string, headers: Record<string, string>, body: Buffer): Promise<Timed>;
  close(): void;
}

/**
 * Asks what listens on a port of this machine.
 * @throws Error for every answer but 200, with its body
 */
export function askingAt(port: number): Asking {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, path: string, headers: Record<string, string>, body: Buffer | null) =>
    new Promise<Timed>((resolve, reject) => {
      const began = performance.now();
      const length =
        body === null ? {} : { 'content-type': 'application/json', 'content-length': body.length };
      const sent = request(
        { agent, method, host: '127.0.0.1', port, path, headers: { ...headers, ...length } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const ms = performance.now() - began;
            const whole = Buffer.concat(chunks);
            if (answer.statusCode === 200) resolve({ ms, body: whole });
            else
              reject(new Error(`${method} ${path}: ${answer.statusCode} ${whole.toString().slice(0, 500)}`));
          });
        },
      );
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  return {
    get: (path, headers) => ask('GET', path, headers, null),
    post: (path, headers, body) => ask('POST', path, headers, body),
    close: () => agent.destroy(),
  };
}
