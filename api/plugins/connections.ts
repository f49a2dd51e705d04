import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { discardUnreadBody } from '../bodies/unread-bodies.ts';
import { onceAMinute } from '../once-a-minute.ts';
import { answerHeaders, problemDocument } from './errors.ts';

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

/** Logs connections that Node closes because of the limit. Node closes them without an answer or a log line. */
function logDrops({ server, log }: FastifyInstance, maxConnections: number): void {
  let dropped = 0;
  const isLogDue = onceAMinute();
  server.on('drop', () => {
    dropped += 1;
    if (!isLogDue()) return;
    log.warn({ dropped, maxConnections }, 'connections were dropped because of MEMORY_MAX_CONNECTIONS');
    dropped = 0;
  });
}

/** Limits the number of connections, and refuses as problems the requests that Node would refuse in another form. */
export default fp(function connections(
  app: FastifyInstance,
  { maxConnections }: Pick<Config, 'maxConnections'>,
  done: () => void,
) {
  const { server } = app;
  server.maxConnections = maxConnections;
  logDrops(app, maxConnections);
  server.on('checkExpectation', refuseExpectation);
  // Node would send 100 Continue at once. Here it is sent after the guards have admitted the caller (`sendContinue`).
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
      throw new ServiceError('invalid_request', 'The request has no Host header; send one');
    }
  });
  done();
});
