import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_BODY_LIMIT } from '../../shared/body-limits.ts';
import { ServiceError } from '../../shared/errors.ts';
import { freeUnshared } from '../../shared/resources/free-memory.ts';
import { DEFAULT_JSON_LIMITS } from '../request/json-limits.ts';
import { acceptedLength } from './declared-length.ts';
import { JsonShape } from './json-shape.ts';

/** A body with a lower average rate in a window is refused, because it uses memory until it has arrived. */
export const MIN_BYTES_PER_SECOND = 8 * 1024;
const WINDOW_MS = 10_000;

/** Initial buffer size for a chunked body. It doubles when more arrives. */
const FIRST_BYTES = 64 * 1024;

/** Node reads up to this many bytes from a connection at once, each time into a new buffer. */
const MAX_PART_BYTES = 64 * 1024;

/** Collects a body in one buffer from the start, because a list of parts would have to be copied at the end. */
class ArrivingBody {
  readonly #limit: number;
  #bytes: Buffer;
  #length = 0;

  constructor(declared: number | null, limit: number) {
    this.#limit = limit;
    // A large declared length costs nothing yet: pages that are not written use no memory.
    this.#bytes = Buffer.allocUnsafe(declared ?? Math.min(FIRST_BYTES, limit));
  }

  add(part: Buffer): void {
    const needed = this.#length + part.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(needed, 2 * this.#bytes.length)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    part.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  whole(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/**
 * Reads the body of a request, and counts the parts of its JSON while it arrives. If the JSON exceeds a limit of the
 * route, the rest of the body is read and discarded, so that a body that is also too large still gets 413.
 * @throws ServiceError `payload_too_large`; `invalid_request` if the JSON exceeds a limit, or the body is incomplete
 *   or too slow
 */
export async function readBody(request: FastifyRequest, stream: IncomingMessage): Promise<Buffer> {
  const { bodyLimit: limit, config } = request.routeOptions;
  const declared = acceptedLength(request);
  if (stream.destroyed) throw incomplete();

  const shape = new JsonShape(config?.jsonLimits ?? DEFAULT_JSON_LIMITS);
  let arriving: ArrivingBody | null = new ArrivingBody(declared, limit);
  let received = 0;
  let receivedBefore = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();

  const onData = (part: Buffer | string) => {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    received += bytes.length;
    if (received > limit) return reject(new ServiceError('payload_too_large'));
    shape.add(bytes);
    if (shape.fault === null) arriving?.add(bytes);
    else arriving = null;
    // Otherwise the parts of a large body use as much memory as the body until V8 collects them, and leave gaps in the
    // memory of small allocations. A part that is longer than Node reads is the buffer of someone else.
    if (received > DEFAULT_BODY_LIMIT && bytes.length <= MAX_PART_BYTES) freeUnshared(bytes);
  };
  const onEnd = () => {
    if (declared !== null && received !== declared) {
      return reject(new ServiceError('invalid_request', 'Content-Length is not the length of the body'));
    }
    if (shape.fault !== null) return reject(shape.fault);
    if (!shape.isClosed) return reject(new ServiceError('invalid_request', 'The body is not valid JSON'));
    resolve(arriving?.whole() ?? Buffer.alloc(0));
  };
  const onClose = () => reject(incomplete());
  const pace = setInterval(() => {
    const rate = (received - receivedBefore) / (WINDOW_MS / 1000);
    if (rate < MIN_BYTES_PER_SECOND) reject(tooSlow());
    receivedBefore = received;
  }, WINDOW_MS);
  stream.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
  try {
    return await promise;
  } finally {
    clearInterval(pace);
    stream.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
    // Nothing else handles a later error of the connection. `onClose` would keep the bytes in memory until the answer.
    stream.on('error', ignoreFault);
    // Discards the bytes that still arrive.
    stream.resume();
  }
}

function ignoreFault(): void {}

function incomplete(): ServiceError {
  return new ServiceError('invalid_request', 'The body ended before its length was reached');
}

function tooSlow(): ServiceError {
  return new ServiceError(
    'invalid_request',
    `The body arrived too slowly; send at least ${MIN_BYTES_PER_SECOND} bytes per second`,
  );
}
