import { ServiceError } from '../../shared/errors.ts';

/** How much a JSON text can hold, counted as it is written: a key that is repeated counts each time. */
export interface JsonLimits {
  /** Arrays and objects. */
  containers: number;
  /** Members of objects. Each costs far more than a value of an array: its key is looked up and stored. */
  members: number;
  /** Strings, keys included. */
  strings: number;
  /** Elements of arrays and members of objects: one more than there are commas. */
  values: number;
}

/** Deeper nesting has no use here, and overflows the stack of code that walks it recursively. */
const MAX_DEPTH = 32;
/** V8 hashes longer keys by their length only: a few thousand of one length take seconds to parse. */
const MAX_KEY_BYTES = 16_383;

// What a byte means outside strings. Commas come before all that ends the inner loop, so that they are only added up.
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
/** After so many bytes without an escape, the end of a string is searched natively, which is faster from about here. */
const LONG_RUN_BYTES = 256;

function indexOrEnd(bytes: Buffer, sign: number, from: number): number {
  const at = bytes.indexOf(sign, from);
  return at === -1 ? bytes.length : at;
}

/**
 * Counts what a JSON text consists of, before anything is built from it: eleven million empty arrays fit in 32 MiB, and
 * parsing them takes seconds and gigabytes. Give it the bytes in order, in parts of any size. It does not check the
 * grammar, which is left to the parser.
 */
export class JsonShape {
  readonly #limits: JsonLimits;
  #depth = 0;
  #containers = 0;
  #members = 0;
  #strings = 0;
  #commas = 0;
  #inString = false;
  /** Whether the part before ended with the backslash of an escape. */
  #escaped = false;
  /** Bytes of the string that is open, or of the last one. */
  #stringBytes = 0;
  /** The next quote and the next backslash in the part, where they were searched for. */
  #quoteAt = -1;
  #backslashAt = -1;
  #fault: ServiceError | null = null;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** The first limit that is exceeded, as the 400 that names it; null until then. */
  get fault(): ServiceError | null {
    return this.#fault;
  }

  /** Whether all strings, arrays and objects have ended: a text without that is not JSON, and is not worth parsing. */
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

  /** Reads up to and with the next quote, and returns where the string begins. */
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

  /** Passes over digits, blanks and commas, and returns what follows. A small loop of its own: vectors are all this. */
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

  /** Counts a bracket or a colon. Apart, so that the loop over the digits of vectors stays small. */
  #passStructure(meaning: number): boolean {
    if (meaning === OPEN) {
      this.#containers += 1;
      this.#depth += 1;
      if (this.#depth > MAX_DEPTH) this.#refuse(`is nested deeper than ${MAX_DEPTH}`);
    } else if (meaning === CLOSE) {
      this.#depth -= 1;
    } else {
      this.#members += 1;
      if (this.#stringBytes > MAX_KEY_BYTES) this.#refuse(`has a key of more than ${MAX_KEY_BYTES} bytes`);
    }
    return this.#fault === null;
  }

  /** Reads up to and with the end of the string, and returns what follows it. */
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
    // An escape at the very end has its second byte in the next part.
    this.#escaped = at > bytes.length;
    this.#stringBytes += bytes.length - from;
    return bytes.length;
  }

  /** Where the next quote or backslash is. What was found is kept: no byte is searched twice for the same sign. */
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
