import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { declaredLength, isChunked } from './body-budget.ts';

/** The rest of a body up to this length is read and discarded, and the connection stays open. */
const MAX_DISCARDED_BYTES = 64 * 1024;
/** How long the rest of a body is discarded after the answer. */
const LINGER_MS = 5_000;

/**
 * Before the connection is closed after an answer, discards for a while the bytes that still arrive. Closing it
 * immediately would reset it, and the caller would lose an answer that it has not read yet.
 */
export function discardUnreadBody(socket: Socket): void {
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => clearTimeout(timer));
    socket.end();
  };
}

/**
 * Closes the connection after an answer that was sent before a large body was read, because receiving an unused body
 * costs as much as accepting it.
 */
export default fp(function unreadBodies(app: FastifyInstance, _options: object, done: () => void) {
  app.addHook('onSend', async ({ raw }, reply) => {
    if (raw.complete || raw.readableEnded || raw.destroyed) return;
    const isLong = isChunked(raw) || (declaredLength(raw) ?? 0) > MAX_DISCARDED_BYTES;
    // The sender waits for a 100 that was not sent. It may send the body or not, so the next bytes are ambiguous.
    const isAwaited = raw.headers.expect !== undefined;
    if (isLong || isAwaited) reply.header('connection', 'close');
    if (reply.getHeader('connection') === 'close') discardUnreadBody(raw.socket);
  });
  done();
});
