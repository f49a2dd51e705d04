import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { freeUnshared } from '../../../shared/resources/process.ts';
import { acceptedLength } from './body-budget.ts';

/** Limits for the parts of a JSON text. They are counted as written: a repeated key counts each time. */
export interface JsonLimits {
  /** Arrays and objects within each other. The default is `MAX_DEPTH`; with another limit, the route checks the depth. */
  depth?: number;
  /** Arrays and objects. */
  containers: number;
  /**
   * Members of objects. A member costs far more than an element of an array, because its key is looked up and stored.
   */
  members: number;
  /** Strings, keys included. */
  strings: number;
  /** Elements of arrays and members of objects, counted as the number of commas plus one. */
  values: number;
}

/** No valid body is nested deeper, and deep nesting overflows the stack of recursive code. */
export const MAX_DEPTH = 32;
/** V8 hashes longer keys only by their length, so that a few thousand keys of one length take seconds to parse. */
const MAX_KEY_BYTES = 16_383;

// The meaning of a byte outside strings. COMMA is the lowest: the inner loop adds up 0 and 1, and ends at the others.
const COMMA = 1;
const QUOTE = 2;
const OPEN = 3;
const CLOSE = 4;
const COLON = 5;

const MEANING = new Uint8Array(256);
for (const [signs, meaning] of [
  [',', COMMA],
  ['"', QUOTE],
  ['[{', OPEN],
  [']}', CLOSE],
  [':', COLON],
] as const) {
  for (const sign of signs) MEANING[sign.charCodeAt(0)] = meaning;
}

const QUOTE_BYTE = 0x22;
const BACKSLASH_BYTE = 0x5c;
/** After this many bytes without an escape, the end of a string is searched with `indexOf`, which is then faster. */
const LONG_RUN_BYTES = 256;

function indexOrEnd(bytes: Buffer, sign: number, from: number): number {
  const at = bytes.indexOf(sign, from);
  return at === -1 ? bytes.length : at;
}

/**
 * Counts the parts of a JSON text before it is parsed: 32 MiB can contain eleven million empty arrays, and parsing them
 * takes seconds and gigabytes. Pass the bytes in order, in parts of any size. Only the parser checks the grammar.
 */
export class JsonShape {
  readonly #limits: JsonLimits;
  #depth = 0;
  #containers = 0;
  #members = 0;
  #strings = 0;
  #commas = 0;
  #inString = false;
  /** Whether the previous part ended with the backslash of an escape. */
  #escaped = false;
  /** Bytes of the open string, or of the last string. */
  #stringBytes = 0;
  /** Positions of the next quote and the next backslash in the part, if they were searched for. */
  #quoteAt = -1;
  #backslashAt = -1;
  #fault: ServiceError | null = null;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** The 400 that names the first exceeded limit; null if no limit is exceeded. */
  get fault(): ServiceError | null {
    return this.#fault;
  }

  /** Whether all strings, arrays and objects have ended. If not, the text is not JSON and need not be parsed. */
  get isClosed(): boolean {
    return this.#depth === 0 && !this.#inString;
  }

  /** Counts the next part of the text. After a fault, parts are ignored. */
  add(bytes: Buffer): void {
    let at = 0;
    this.#quoteAt = -1;
    this.#backslashAt = -1;
    while (at < bytes.length && this.#fault === null) {
      at = this.#inString ? this.#skipString(bytes, at) : this.#skipStructure(bytes, at);
    }
    this.#check();
  }

  /** Reads to the next quote, inclusive, and returns the position after it. */
  #skipStructure(bytes: Buffer, from: number): number {
    const end = bytes.length;
    let at = from;
    while (at < end) {
      at = this.#skipPlain(bytes, at);
      if (at === end) break;
      const meaning = MEANING[bytes[at]!]!;
      at += 1;
      if (meaning === QUOTE) {
        this.#inString = true;
        this.#strings += 1;
        this.#stringBytes = 0;
        break;
      } else if (!this.#passStructure(meaning)) {
        break;
      }
    }
    return at;
  }

  /** Skips digits, spaces and commas, and returns the position after them. A separate small loop, fast for vectors. */
  #skipPlain(bytes: Buffer, from: number): number {
    const end = bytes.length;
    let commas = 0;
    let at = from;
    for (; at < end; at += 1) {
      const meaning = MEANING[bytes[at]!]!;
      if (meaning > COMMA) break;
      commas += meaning;
    }
    this.#commas += commas;
    return at;
  }

  /**
   * Counts a bracket or a colon; false after a fault. Separate, so that the loop over the digits of vectors stays
   * small.
   */
  #passStructure(meaning: number): boolean {
    if (meaning === OPEN) {
      this.#containers += 1;
      this.#depth += 1;
      const { depth = MAX_DEPTH } = this.#limits;
      if (this.#depth > depth) this.#refuse(`is nested deeper than ${depth}`);
    } else if (meaning === CLOSE) {
      this.#depth -= 1;
    } else {
      this.#members += 1;
      if (this.#stringBytes > MAX_KEY_BYTES) this.#refuse(`has a key of more than ${MAX_KEY_BYTES} bytes`);
    }
    return this.#fault === null;
  }

  /** Reads to the end of the string, inclusive, and returns the position after it. */
  #skipString(bytes: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    let long = at + LONG_RUN_BYTES;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte === QUOTE_BYTE) {
        this.#inString = false;
        this.#stringBytes += at - from;
        return at + 1;
      }
      if (byte === BACKSLASH_BYTE) {
        at += 1;
        long = at + LONG_RUN_BYTES;
      } else if (at >= long) {
        at = this.#endOfRun(bytes, at) - 1;
      }
    }
    // The second byte of an escape at the end of this part is in the next part.
    this.#escaped = at > bytes.length;
    this.#stringBytes += bytes.length - from;
    return bytes.length;
  }

  /**
   * The position of the next quote or backslash. Both are cached, so that no byte is searched twice for the same
   * sign.
   */
  #endOfRun(bytes: Buffer, from: number): number {
    if (this.#quoteAt < from) this.#quoteAt = indexOrEnd(bytes, QUOTE_BYTE, from);
    if (this.#backslashAt < from) this.#backslashAt = indexOrEnd(bytes, BACKSLASH_BYTE, from);
    return Math.min(this.#quoteAt, this.#backslashAt);
  }

  #check(): void {
    const { containers, members, strings, values } = this.#limits;
    if (this.#containers > containers) this.#refuse(`has more than ${containers} arrays and objects`);
    else if (this.#members > members) this.#refuse(`has more than ${members} object members`);
    else if (this.#strings > strings) this.#refuse(`has more than ${strings} strings`);
    else if (this.#commas >= values) this.#refuse(`has more than ${values} values`);
  }

  #refuse(what: string): void {
    this.#fault ??= new ServiceError('invalid_request', `The body ${what}; send less in one request`);
  }
}

/** Whether a value of JSON has more than so many arrays and objects within each other. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((child) => isDeeper(child, depth - 1));
}

/**
 * Limits for the JSON of bodies. Parsing a body is one step of the event loop, and the limits keep it short, whatever the
 * body contains. What costs most are objects with many different names.
 * Every limit is above the largest body that the schema of its route accepts, except those of complete: see there.
 * Metadata of 16 KiB can hold 5,500 arrays and objects, 3,300 object members, 6,600 strings and 8,200 values; a chunk
 * or an item with a vector has 1,024 numbers, or one string.
 */
export const DEFAULT_JSON_LIMITS: JsonLimits = {
  containers: 10_000,
  members: 10_000,
  strings: 20_000,
  // More than fit in 1 MiB, so that a vector that is too long gets the error for its length.
  values: 600_000,
};
/** Ingest: 2,000 chunks with a text and a vector, and metadata. */
export const INGEST_JSON_LIMITS: JsonLimits = {
  containers: 10_000,
  members: 10_000,
  strings: 20_000,
  values: 2_200_000,
};
/** Embeddings/complete: 256 vectors. */
export const EMBEDDINGS_JSON_LIMITS: JsonLimits = {
  containers: 1_000,
  members: 1_000,
  strings: 2_000,
  values: 300_000,
};
/**
 * Consolidation/complete: 40 items, each with metadata and a vector. For each item, there is room for 800 lists or objects
 * and 1,500 members: 16 KiB of records of 22 bytes. Items that are all full of smaller ones, such as empty lists, must be
 * sent in several requests.
 */
export const COMPLETE_JSON_LIMITS: JsonLimits = {
  containers: 32_000,
  members: 60_000,
  strings: 120_000,
  // A number in a list costs little.
  values: 400_000,
};
/**
 * Messages of MCP: `arguments` that are nested too deep are the result of a call, so they must be parsed. The number of
 * arrays and objects limits the depth here.
 */
export const MCP_JSON_LIMITS: JsonLimits = { ...DEFAULT_JSON_LIMITS, depth: DEFAULT_JSON_LIMITS.containers };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Limits for the JSON of the route's body. The default is DEFAULT_JSON_LIMITS. */
    jsonLimits?: JsonLimits;
  }
}

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
