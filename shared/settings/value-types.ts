import { isIP } from 'node:net';
import { addressesOf, canonicalBaseUrl } from '../formats/addresses.ts';
import { canonicalEmail, isEmail } from '../formats/names.ts';

/** The values that a variable can have, and how its text becomes one of them. */
export interface ValueType<T> {
  /** What is accepted, with its bounds: the end of a message that begins with "expected". */
  readonly accepts: string;
  /** A value that is accepted, for messages. */
  readonly example: string;
  /** Returns the value, or null if the text is not accepted. The text is trimmed. It is empty only if a default is. */
  readonly parse: (text: string) => T | null;
}

export function text(max = 300): ValueType<string> {
  const parse = (given: string) => (given.length <= max ? given : null);
  return { accepts: `at most ${max} characters`, example: 'text', parse };
}

export function integer(min: number, max: number): ValueType<number> {
  const parse = (given: string) => {
    const number = Number(given);
    return /^\d+$/.test(given) && number >= min && number <= max ? number : null;
  };
  return { accepts: `a whole number from ${min} to ${max}`, example: String(min), parse };
}

/** One of these words. The table gives the value of each. */
export function oneOf<const T>(values: Readonly<Record<string, T>>): ValueType<T> {
  const parse = (given: string) => (Object.hasOwn(values, given) ? (values[given] as T) : null);
  const words = Object.keys(values);
  return { accepts: `one of ${words.join(', ')}`, example: words[0] ?? '', parse };
}

/** One of these words. The word is the value. */
export function word<const T extends string>(...words: readonly T[]): ValueType<T> {
  return oneOf(Object.fromEntries(words.map((each) => [each, each])) as Record<string, T>);
}

/** An address with one of these protocols, each with its colon. */
export function url(...protocols: readonly string[]): ValueType<string> {
  const parse = (given: string) =>
    URL.canParse(given) && protocols.includes(new URL(given).protocol) ? given : null;
  const beginnings = protocols.map((protocol) => `${protocol}//`).join(' or ');
  const example = `${protocols[0]}//host.example.com`;
  return { accepts: `an absolute address beginning with ${beginnings}`, example, parse };
}

/** The address of a PostgreSQL database. */
export const DATABASE_ADDRESS: ValueType<string> = {
  accepts: 'an absolute address beginning with postgres:// or postgresql://',
  example: 'postgres://memory:password@127.0.0.1:5432/memory',
  parse: (given) => (addressesOf(given) === null ? null : given),
};

/** An address that paths are appended to, without a final slash. */
export const BASE_URL: ValueType<string> = {
  accepts: 'an absolute http or https address without query and fragment',
  example: 'https://memory.example.com',
  parse: canonicalBaseUrl,
};

/** An address that relative addresses are resolved against: with a final slash. */
export const FOLDER_URL: ValueType<string> = {
  accepts: BASE_URL.accepts,
  example: BASE_URL.example,
  parse: (given) => {
    const address = canonicalBaseUrl(given);
    return address === null || address.endsWith('/') ? address : `${address}/`;
  },
};

/** Items that are separated by commas. */
function list(
  what: string,
  example: string,
  isItem: (item: string) => boolean,
): ValueType<readonly string[]> {
  const parse = (given: string) => {
    const items = given === '' ? [] : given.split(',').map((item) => item.trim());
    return items.every(isItem) ? Object.freeze(items) : null;
  };
  return { accepts: `a comma-separated list of ${what}`, example, parse };
}

function isAddressOrBlock(item: string): boolean {
  const [address = '', bits, ...rest] = item.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  // A block of all addresses (/0) is refused: it would trust every caller, and a trusted caller can claim any address.
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128);
}

function isOrigin(item: string): boolean {
  return URL.canParse(item) && /^https?:$/.test(new URL(item).protocol) && new URL(item).origin === item;
}

export const ADDRESSES = list('IP addresses or CIDR blocks', '10.0.0.0/8', isAddressOrBlock);
export const ORIGINS = list('origins such as https://app.example.com', 'https://app.example.com', isOrigin);

/** An address to listen on. */
export const HOST: ValueType<string> = {
  accepts: text().accepts,
  example: '127.0.0.1',
  parse: (given) => {
    const host = text().parse(given);
    // localhost can resolve to two addresses. Fastify then opens a second listener without the settings of the first.
    return host?.toLowerCase() === 'localhost' ? '127.0.0.1' : host;
  },
};

/** A number that can have decimals. */
export function decimal(min: number, max: number): ValueType<number> {
  const parse = (given: string) => {
    const number = Number(given);
    return /^\d{0,9}(?:\.\d{1,9})?$/.test(given) && number >= min && number <= max ? number : null;
  };
  return { accepts: `a number from ${min} to ${max}, such as 0.05`, example: '0.05', parse };
}

/** A number from 0 to 1. */
export const SHARE: ValueType<number> = decimal(0, 1);

/** Pairs such as `key=value,other=value`, in which both sides can be percent-encoded, as OpenTelemetry defines them. */
export const KEY_VALUE_PAIRS: ValueType<Readonly<Record<string, string>>> = {
  accepts: 'a comma-separated list of key=value, with other commas percent-encoded',
  example: 'key=value',
  parse: (given) => {
    const pairs: [string, string][] = [];
    for (const item of given.split(',')) {
      // A value can contain equals signs: base64 ends with them.
      const end = item.indexOf('=');
      if (end < 0 || item.slice(0, end).trim() === '') return null;
      try {
        pairs.push([
          decodeURIComponent(item.slice(0, end).trim()),
          decodeURIComponent(item.slice(end + 1).trim()),
        ]);
      } catch {
        return null;
      }
    }
    return Object.freeze(Object.fromEntries(pairs));
  },
};

export const EMAIL: ValueType<string> = {
  accepts: 'an email address of at most 300 characters',
  example: 'owner@example.com',
  parse: (given) => {
    const email = canonicalEmail(given);
    return given.length <= 300 && isEmail(email) ? email : null;
  },
};

/** A credential that callers send. Its length is not checked here, because it depends on another setting. */
export const API_TOKEN: ValueType<string> = {
  accepts: 'a secret of at least 16 characters, without spaces',
  // A command, because an example that is copied is no secret.
  example: '"$(openssl rand -hex 32)"',
  parse: (given) => (/\s|\p{Cc}/u.test(given) ? null : given),
};

/** The name that a version control system gives a version. Everyone can read it. */
export const COMMIT: ValueType<string> = {
  accepts: 'a commit of at most 100 letters, digits and .-_/',
  example: '0a6a0e43',
  parse: (given) => (/^[\w./-]{1,100}$/.test(given) ? given : null),
};

/** Any text. */
export const ANY_TEXT: ValueType<string> = { accepts: 'a text', example: 'text', parse: (given) => given };
