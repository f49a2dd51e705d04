import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the hub or its CDN got. */
export interface HubRequest {
  /** The CDN has an origin of its own. */
  at: 'hub' | 'cdn';
  method: string;
  /** File of the model, such as `config.json`. */
  file: string;
  range: string | undefined;
  ifRange: string | undefined;
  /** Base address of the CDN, without a final slash. */
  cdnUrl: string;
}

/** Answers in place of the hub, or returns false and leaves it to it. */
export type Misbehaviour = (request: HubRequest, response: ServerResponse, content: Buffer) => boolean;

export interface ModelHub {
  /** Base address, with a final slash. */
  readonly url: string;
  readonly requests: HubRequest[];
  /** The requests for a content: neither HEAD nor what was redirected. */
  downloads(): HubRequest[];
  close(): void;
}

export interface ModelHubOptions {
  /** By path in the model; taken at each request, so it may change. */
  files: ReadonlyMap<string, Buffer>;
  misbehave?: Misbehaviour;
}

/** Large files lie on the CDN. */
const isLarge = (file: string) => file.endsWith('.onnx');

export const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
export const gitSha1 = (content: Buffer) =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/** What the CDN gives as etag of a file. */
export const cdnEtag = (file: string) => `"${sha256(Buffer.from(`cdn ${file}`))}"`;

/**
 * A model hub that answers as Hugging Face does: a large file by a redirect to the CDN that tells the SHA-256 and the
 * length, a small one by a redirect to a cache of the same origin whose etag is the git blob's SHA-1. The CDN's own
 * etag looks like a SHA-256 but is not one. Both support ranges.
 */
export async function openModelHub({ files, misbehave = () => false }: ModelHubOptions): Promise<ModelHub> {
  const requests: HubRequest[] = [];
  const serve = (at: HubRequest['at']) => (request: IncomingMessage, response: ServerResponse) => {
    const file = /\/main\/([^?]+)/.exec(request.url ?? '')?.[1] ?? '';
    const { range, 'if-range': ifRange } = request.headers;
    const seen: HubRequest = {
      at,
      method: request.method ?? '',
      file,
      range,
      ifRange: ifRange as string | undefined,
      cdnUrl: cdn.url,
    };
    requests.push(seen);
    const content = files.get(file);
    if (content === undefined) response.writeHead(404).end('Entry not found');
    else if (!misbehave(seen, response, content)) {
      if (at === 'cdn') sendContent(seen, response, content, cdnEtag(file));
      else if (isLarge(file)) redirectToCdn(response, cdn.url + (request.url ?? ''), content);
      else if (request.url?.startsWith('/cache'))
        sendContent(seen, response, content, `"${gitSha1(content)}"`);
      else response.writeHead(307, { location: `/cache${request.url}?etag=x` }).end();
    }
  };
  const [hub, cdn] = [await listen(serve('hub')), await listen(serve('cdn'))];
  return {
    url: `${hub.url}/`,
    requests,
    downloads: () =>
      requests.filter((one) => one.method === 'GET' && (one.at === 'cdn' || !isLarge(one.file))),
    close: () => {
      for (const { server } of [hub, cdn]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function redirectToCdn(response: ServerResponse, location: string, content: Buffer): void {
  const linked = { 'x-linked-etag': `"${sha256(content)}"`, 'x-linked-size': content.length };
  response.writeHead(302, { location: `${location}?signature=secret`, ...linked }).end();
}

/** Sends a file, or the end of it that a range asks for. */
export function sendContent(
  request: HubRequest,
  response: ServerResponse,
  content: Buffer,
  etag: string,
): void {
  const [, from] = /^bytes=(\d+)-$/.exec(request.range ?? '') ?? [];
  if (from === undefined || (request.ifRange !== undefined && request.ifRange !== etag)) {
    response.writeHead(200, { 'content-length': content.length, etag });
    response.end(request.method === 'HEAD' ? undefined : content);
    return;
  }
  const rest = content.subarray(Number(from));
  const range = `bytes ${from}-${content.length - 1}/${content.length}`;
  response.writeHead(206, { 'content-length': rest.length, 'content-range': range, etag }).end(rest);
}

/** Sends the head of an answer and the first `bytes` of its content, and then breaks the connection off. */
export function breakOff(
  response: ServerResponse,
  content: Buffer,
  bytes: number,
  head: Record<string, string> = {},
) {
  response.writeHead(200, { 'content-length': content.length, ...head });
  response.write(content.subarray(0, bytes), () => response.destroy());
}
