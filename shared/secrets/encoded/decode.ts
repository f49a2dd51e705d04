/** A text that was decoded, and where each of its characters is in the text that it was made from. */
export interface Decoded {
  text: string;
  starts: number[];
  ends: number[];
}

/** Percent, entities of HTML, escapes of JSON and JavaScript, full width, and what is invisible. */
const ENCODED =
  /%[0-7][0-9a-f]|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});|\\u00[0-7][0-9a-f]|\\x[0-7][0-9a-f]|[\uff01-\uff5e\u00ad\u200b-\u200d\u2060\ufeff]/gi;
/** An encoding can be encoded again: `%253D`. */
const MAX_LEVELS = 3;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  colon: ':',
  commat: '@',
  dollar: '$',
  equals: '=',
  excl: '!',
  gt: '>',
  lowbar: '_',
  lt: '<',
  nbsp: ' ',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quot: '"',
  semi: ';',
  sol: '/',
};

/** What a sequence stands for. Null if it is not a sequence, or stands for no character of a credential. */
function decodeSequence(sequence: string): string | null {
  const [first] = sequence;
  if (first === '%') return fromCode(sequence.slice(1), 16);
  if (first === '\\') return fromCode(sequence.slice(2), 16);
  if (first === '&') {
    const name = sequence.slice(1, -1).toLowerCase();
    if (name.startsWith('#x')) return fromCode(name.slice(2), 16);
    if (name.startsWith('#')) return fromCode(name.slice(1), 10);
    return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? null) : null;
  }
  const code = sequence.charCodeAt(0);
  return code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : '';
}

function fromCode(digits: string, radix: number): string | null {
  const code = Number.parseInt(digits, radix);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : code === 10 || code === 13 ? '\n' : null;
}

/** Decodes what is encoded in a short text. Null: nothing is. */
export function decodeText(text: string): Decoded | null {
  const positions = Array.from({ length: text.length }, (_, index) => index);
  let decoded: Decoded = { text, starts: positions, ends: positions.map((index) => index + 1) };
  for (let level = 0; level < MAX_LEVELS; level++) {
    const next = decodeLevel(decoded);
    if (next.text === decoded.text) break;
    decoded = next;
  }
  return decoded.text === text ? null : decoded;
}

function decodeLevel({ text, starts, ends }: Decoded): Decoded {
  const decoded: Decoded = { text: '', starts: [], ends: [] };
  let from = 0;
  const copyTo = (to: number) => {
    decoded.text += text.slice(from, to);
    for (; from < to; from++) {
      decoded.starts.push(starts[from]!);
      decoded.ends.push(ends[from]!);
    }
  };
  for (const { 0: sequence, index } of text.matchAll(ENCODED)) {
    const character = decodeSequence(sequence);
    if (character === null) continue;
    copyTo(index);
    from = index + sequence.length;
    decoded.text += character;
    if (character === '') continue;
    decoded.starts.push(starts[index]!);
    decoded.ends.push(ends[from - 1]!);
  }
  copyTo(text.length);
  return decoded;
}
