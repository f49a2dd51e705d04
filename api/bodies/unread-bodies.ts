import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { declaredLength, isChunked } from './declared-length.ts';

/** Less than this is read to its end, and the connection is kept. */
const KEPT_BYTES = 64 * 1024;
/** For how long the rest of a body is discarded after the answer. */
const LINGER_MS = 5_000;

/**
 * Has a connection that is to be closed after its answer discard what still arrives for a while. To close it at once
 * resets it, and the client then loses an answer that it has not read yet.
 */
export function linger(socket: Socket): void {
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => clearTimeout(timer));
    socket.end();
  };
}

/**
 * Closes the connection after an answer that was given before a large body was read: to receive all of it for nothing
 * would cost as much as to accept it.
 */
export default fp(function unreadBodies(app: FastifyInstance, _options: object, done: () => void) {
  app.addHook('onSend', async ({ raw }, reply) => {
    if (raw.complete || raw.readableEnded || raw.destroyed) return;
    const isLong = isChunked(raw) || (declaredLength(raw) ?? 0) > KEPT_BYTES;
    // Without the 100 that its sender waits for, the body may come or not: what follows cannot be told from it.
    const isAwaited = raw.headers.expect !== undefined;
    if (isLong || isAwaited) reply.header('connection', 'close');
    if (reply.getHeader('connection') === 'close') linger(raw.socket);
  });
  done();
});
