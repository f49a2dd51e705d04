import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { DEFAULT_BODY_LIMIT, DOCUMENT_BODY_LIMIT } from '../../shared/body-limits.ts';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { declaredLength, isChunked } from './declared-length.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Bytes of large bodies that are in flight. */
    bodyBudget: BodyBudget;
  }
  interface FastifyRequest {
    /** Gives back what the body of the request took of the budget; null where it took nothing. */
    releaseBody: (() => void) | null;
  }
}

/** What one caller can have in flight: two of the largest bodies. */
const MAX_CALLER_BYTES = 2 * DOCUMENT_BODY_LIMIT;
const MIB = 1024 * 1024;
/** When to come again. A body of 32 MiB takes a few seconds on most lines. */
const RETRY_SECONDS = 2;

/** Bounds the bytes of the large bodies that are in flight, of one caller and of all together. */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #maxCallerBytes: number;
  readonly #callers = new Map<string, number>();
  #bytes = 0;

  /** @param limitsCallers whether one caller can have less than all together */
  constructor(maxBytes: number, limitsCallers = true) {
    this.#maxBytes = maxBytes;
    this.#maxCallerBytes = limitsCallers ? Math.min(MAX_CALLER_BYTES, maxBytes) : Number.POSITIVE_INFINITY;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes the bytes of a body for a caller. The result gives them back, once however often it is called.
   * @throws ServiceError `rate_limited` where the caller has too many in flight, `unavailable` where all together have
   */
  take(caller: string, bytes: number): () => void {
    const own = this.#callers.get(caller) ?? 0;
    if (own + bytes > this.#maxCallerBytes) {
      throw new ServiceError(
        'rate_limited',
        `Your large bodies in flight can have ${this.#maxCallerBytes / MIB} MiB together; ` +
          `try again in ${RETRY_SECONDS} seconds`,
        { limit: { max: this.#maxCallerBytes, resetSeconds: RETRY_SECONDS } },
      );
    }
    if (this.#bytes + bytes > this.#maxBytes) {
      throw new ServiceError('unavailable', 'Too many large bodies are in flight; try again');
    }
    this.#callers.set(caller, own + bytes);
    this.#bytes += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#bytes -= bytes;
      const rest = (this.#callers.get(caller) ?? 0) - bytes;
      if (rest > 0) this.#callers.set(caller, rest);
      else this.#callers.delete(caller);
    };
  }
}

/**
 * The bytes that a request takes of the budget. Bodies that every route accepts take none: a few large ones must not
 * keep small ones out.
 */
function bytesToTake(request: FastifyRequest): number {
  const { bodyLimit } = request.routeOptions;
  if (bodyLimit <= DEFAULT_BODY_LIMIT) return 0;
  const bytes = isChunked(request) ? bodyLimit : (declaredLength(request) ?? 0);
  // What is too large is refused before it is read.
  return bytes > DEFAULT_BODY_LIMIT && bytes <= bodyLimit ? bytes : 0;
}

/** Refuses a large body beyond the budget before it is read. Must run after the caller is identified. */
export const withinBodyBudget: onRequestAsyncHookHandler = async (request) => {
  const bytes = bytesToTake(request);
  if (bytes === 0) return;
  request.releaseBody = request.server.bodyBudget.take(request.identity.userId, bytes);
};

/**
 * Makes the budget of the app. What a request took is given back when its answer is ready, and not when its connection
 * ends: the handler of a caller who has hung up still holds the body. Every request that gets as far as `onRequest`
 * comes to an answer, a refused and an aborted one too.
 */
export default fp(function bodyBudget(
  app: FastifyInstance,
  { bodyMegabytes, rateLimits }: Pick<Config, 'bodyMegabytes' | 'rateLimits'>,
  done: () => void,
) {
  app.decorate('bodyBudget', new BodyBudget(bodyMegabytes * MIB, rateLimits));
  app.decorateRequest('releaseBody', null);
  app.addHook('onSend', async (request) => request.releaseBody?.());
  done();
});
