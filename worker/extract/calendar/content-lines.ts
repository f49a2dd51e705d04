import { encodingNamed } from '../encoding/declared.ts';

/** Reads the lines of iCalendar (RFC 5545) and vCard (RFC 6350), which have the same grammar. */

/** One property: `DTSTART;TZID=Europe/Berlin:20240503T091500`. */
export interface ContentLine {
  /** In upper case, without a group: `item1.TEL` is `TEL`. */
  name: string;
  /** The parameters, by name in upper case. A parameter without a value is its own value, as in vCard 2.1. */
  parameters: ReadonlyMap<string, string>;
  /** As written, without folding. See `textValue`. */
  value: string;
}

const QUOTED_PRINTABLE = /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i;
/** The name and the parameters of a property are in this much of a line. */
const HEAD_LENGTH = 500;

/** Joins the lines that a program has folded. */
function unfolded(text: string): string[] {
  const lines: string[][] = [];
  let isQuotedPrintable = false;
  /** Whether the line before ends with `=`, with which old programs fold quoted-printable text. */
  let isOpen = false;
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const isFolded = !isOpen && /^[ \t]/.test(line) && lines.length > 0;
    if (!isOpen && !isFolded) {
      lines.push([]);
      isQuotedPrintable = QUOTED_PRINTABLE.test(line.slice(0, HEAD_LENGTH));
    }
    isOpen = isQuotedPrintable && line.endsWith('=');
    lines.at(-1)?.push(line.slice(isFolded ? 1 : 0, isOpen ? -1 : undefined));
  }
  return lines.map((pieces) => pieces.join(''));
}

/** The offset of the first of these characters that is not within quotation marks, or the end. */
function findOutsideQuotes(line: string, from: number, characters: string): number {
  let isQuoted = false;
  for (let at = from; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && characters.includes(character)) return at;
  }
  return line.length;
}

function parseLine(line: string): ContentLine | null {
  let at = findOutsideQuotes(line, 0, ';:');
  if (at === line.length) return null;
  const name = line
    .slice(line.lastIndexOf('.', at) + 1, at)
    .trim()
    .toUpperCase();
  const parameters = new Map<string, string>();
  while (line[at] === ';') {
    const end = findOutsideQuotes(line, at + 1, ';:');
    const [key = '', ...value] = line.slice(at + 1, end).split('=');
    parameters.set(key.trim().toUpperCase(), (value.join('=') || key).replaceAll('"', '').trim());
    at = end;
  }
  return { name, parameters, value: line.slice(at + 1) };
}

/** The properties of a file, in order. Lines that are none are left out. */
export function readContentLines(text: string): ContentLine[] {
  return unfolded(text)
    .map(parseLine)
    .filter((line) => line !== null);
}

function fromQuotedPrintable(value: string, charset: string): string {
  const bytes = Buffer.from(
    value.replace(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
  return new TextDecoder(encodingNamed(charset) ?? 'utf-8').decode(bytes);
}

/** The text of a value: escaped commas and line breaks, and the quoted-printable of old programs, are decoded. */
export function textValue({ value, parameters }: ContentLine): string {
  const encoding = parameters.get('ENCODING') ?? parameters.get('QUOTED-PRINTABLE') ?? '';
  const plain =
    encoding.toUpperCase() === 'QUOTED-PRINTABLE'
      ? fromQuotedPrintable(value, parameters.get('CHARSET') ?? 'utf-8')
      : value;
  return plain.replace(/\\(.)/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped)).trim();
}
