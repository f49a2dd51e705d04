import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { DEFAULT_BODY_LIMIT, DOCUMENT_BODY_LIMIT } from '../../../shared/body-limits.ts';
import type { Config } from '../../../shared/config.ts';
import { ServiceError } from '../../../shared/errors.ts';

/** Whether the body is sent in chunks, so that its length is known only at its end. */
export function isChunked({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/** The length that a request declares for its body; null if the body is chunked or absent. */
export function declaredLength(request: Pick<IncomingMessage, 'headers'>): number | null {
  const length = request.headers['content-length'];
  return length === undefined || isChunked(request) ? null : Number(length);
}

/**
 * Like `declaredLength`, but refuses a length above the limit of the route.
 * @throws ServiceError `payload_too_large`
 */
export function acceptedLength(request: FastifyRequest): number | null {
  const length = declaredLength(request);
  if (length !== null && length > request.routeOptions.bodyLimit) throw new ServiceError('payload_too_large');
  return length;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Limits the bytes of large bodies in flight. */
    bodyBudget: BodyBudget;
  }
  interface FastifyRequest {
    /** Returns the bytes of the request's body to the budget; null if it did not reserve any. */
    releaseBody: (() => void) | null;
  }
}

/** The most bytes that one caller can have in flight: two of the largest bodies. */
const MAX_CALLER_BYTES = 2 * DOCUMENT_BODY_LIMIT;
const MIB = 1024 * 1024;
/** When a refused caller can try again. Sending 32 MiB takes a few seconds on most networks. */
const RETRY_SECONDS = 2;

/** Limits the bytes of large bodies in flight, for each caller and for all callers together. */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #maxCallerBytes: number;
  readonly #callers = new Map<string, number>();
  #bytes = 0;

  /** @param limitsCallers whether each caller has a limit of its own */
  constructor(maxBytes: number, limitsCallers = true) {
    this.#maxBytes = maxBytes;
    this.#maxCallerBytes = limitsCallers ? Math.min(MAX_CALLER_BYTES, maxBytes) : Number.POSITIVE_INFINITY;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reserves the bytes of a body for a caller. Returns a function that releases them; only its first call has an
   * effect.
   * @throws ServiceError `rate_limited` if the caller has too many bytes in flight, `unavailable` if all callers
   *   together have too many
   */
  reserve(caller: string, bytes: number): () => void {
    const own = this.#callers.get(caller) ?? 0;
    if (own + bytes > this.#maxCallerBytes) {
      throw new ServiceError(
        'rate_limited',
        `You can send at most ${this.#maxCallerBytes / MIB} MiB in large bodies at the same time; ` +
          `try again in ${RETRY_SECONDS} seconds`,
        { limit: { max: this.#maxCallerBytes, resetSeconds: RETRY_SECONDS } },
      );
    }
    if (this.#bytes + bytes > this.#maxBytes) {
      throw new ServiceError('unavailable', 'The service is receiving too many large bodies; try again');
    }
    this.#callers.set(caller, own + bytes);
    this.#bytes += bytes;
    let isReserved = true;
    return () => {
      if (!isReserved) return;
      isReserved = false;
      this.#bytes -= bytes;
      const rest = (this.#callers.get(caller) ?? 0) - bytes;
      if (rest > 0) this.#callers.set(caller, rest);
      else this.#callers.delete(caller);
    };
  }
}

/**
 * The bytes that a request reserves. Bodies of a size that every route accepts reserve none, so that a few large
 * bodies do not block small ones.
 */
function bytesToReserve(request: FastifyRequest): number {
  const { bodyLimit } = request.routeOptions;
  if (bodyLimit <= DEFAULT_BODY_LIMIT) return 0;
  const bytes = isChunked(request) ? bodyLimit : (declaredLength(request) ?? 0);
  // A body that is too large reserves nothing, because it is refused before it is read.
  return bytes > DEFAULT_BODY_LIMIT && bytes <= bodyLimit ? bytes : 0;
}

/** Refuses a large body that exceeds the budget, before the body is read. Must run after the caller is identified. */
export const withinBodyBudget: onRequestAsyncHookHandler = async (request) => {
  const bytes = bytesToReserve(request);
  if (bytes === 0) return;
  request.releaseBody = request.server.bodyBudget.reserve(request.identity.userId, bytes);
};

/**
 * Creates the budget of the app. The bytes of a request are released when its answer is ready, and not when its
 * connection closes, because the handler still uses the body then. Every request that reaches `onRequest` gets an
 * answer, even if it was refused or aborted.
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
