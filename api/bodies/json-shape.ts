import { ServiceError } from '../../shared/errors.ts';

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
