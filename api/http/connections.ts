import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { discardUnreadBody } from './bodies/unread-bodies.ts';
import { answerHeaders, problemDocument } from './errors.ts';
import { onceAMinute } from './once-a-minute.ts';
import { requestedPath } from './requests.ts';

/** Refuses an unknown Expect header as a problem. Node would answer with an empty 417. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  discardUnreadBody(request.socket);
  const requestId = newId();
  const problem = new ServiceError('invalid_request', 'Expect: only 100-continue is supported');
  const body = JSON.stringify(problemDocument(problem, requestId));
  response.writeHead(problem.status, {
    ...answerHeaders(request.url ?? '', requestId),
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

/** Connections above the limit that can be open to get their 503. Node closes more of them, without an answer. */
const MAX_REFUSED = 100;
/** How long such a connection can take to send its request. */
const REFUSED_MS = 5000;
/** The path that is answered on every connection: a process with many connections is alive, and must not be restarted. */
const LIVENESS = '/livez';

/** Answers the requests of connections above the limit with 503, and ends these connections. */
function refuseAbove(app: FastifyInstance, maxConnections: number): void {
  const { server, log } = app;
  const refused = new WeakSet<Socket>();
  const isLogDue = onceAMinute();
  let admitted = 0;
  let above = 0;
  const logAbove = () => {
    above += 1;
    if (!isLogDue()) return;
    log.warn(
      { refused: above, maxConnections },
      'connections were refused because of MEMORY_MAX_CONNECTIONS',
    );
    above = 0;
  };
  server.maxConnections = maxConnections + MAX_REFUSED;
  server.on('drop', logAbove);
  server.on('connection', (socket) => {
    if (admitted < maxConnections) {
      admitted += 1;
      socket.once('close', () => {
        admitted -= 1;
      });
      return;
    }
    refused.add(socket);
    logAbove();
    const end = setTimeout(() => socket.destroy(), REFUSED_MS);
    socket.once('close', () => clearTimeout(end));
  });
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (!refused.has(raw.socket)) return;
    reply.header('connection', 'close');
    if (requestedPath(raw.url ?? '') !== LIVENESS)
      throw new ServiceError('unavailable', 'The service has too many connections; try again');
  });
}

/**
 * Headers with one value, by the names that messages show. If one is repeated, Node takes the first value or joins all values,
 * and a proxy in front can take another one. The proxy would then check another request than the one that is answered.
 */
const SINGLE_HEADERS: ReadonlyMap<string, string> = new Map(
  [
    'Host',
    'Authorization',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Origin',
    'Memory-Team',
    'Idempotency-Key',
  ].map((name) => [name.toLowerCase(), name]),
);

/**
 * Returns the first header of these that is repeated, or null.
 * @param rawHeaders names and values in turn, as they were sent
 */
function repeatedHeader(rawHeaders: readonly string[]): string | null {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = SINGLE_HEADERS.get(rawHeaders[at]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/** Limits the number of connections, and refuses as problems the requests that Node would refuse in another form. */
export default fp(function connections(
  app: FastifyInstance,
  { maxConnections }: Pick<Config, 'maxConnections'>,
  done: () => void,
) {
  const { server } = app;
  refuseAbove(app, maxConnections);
  server.on('checkExpectation', refuseExpectation);
  // Node would send 100 Continue at once. Here it is sent after the guards have admitted the caller (`sendContinue`).
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
      throw new ServiceError('invalid_request', 'The request has no Host header; send one');
    }
    const repeated = repeatedHeader(raw.rawHeaders);
    if (repeated !== null) {
      throw new ServiceError('invalid_request', `The request has several ${repeated} headers; send one`);
    }
  });
  done();
});
