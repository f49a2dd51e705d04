import { SLICE_LENGTH, slicesOf, yieldBetweenSteps } from '../resources/async.ts';
import { countCharacters } from './characters.ts';

/**
 * How a text differs from the plain one that `cutPieces` cuts, so that it can be given back as it was sent. The pieces and the
 * gaps before them are the rest.
 */
export interface TextForm {
  /** Of the text as it was sent, in Unicode code points. */
  characters: number;
  /** Whether it begins with a byte order mark. */
  bom?: true;
  /** The white space at its end, with plain line breaks. */
  tail?: string;
  /** The line breaks: a letter for each one, or one letter for all of them. Absent if all are LF. */
  breaks?: string;
}

/** A letter for each line break: n for LF, r for CR, c for CRLF. */
const BREAKS = { '\n': 'n', '\r': 'r', '\r\n': 'c' } as const;
const BREAK_OF: Readonly<Record<string, string>> = { n: '\n', r: '\r', c: '\r\n' };

const ANY_BREAK = /\r\n|\r|\n/g;

/** Reads the form of a text that is not blank. The event loop turns in between. */
export async function readTextForm(text: string): Promise<TextForm> {
  const form: TextForm = { characters: 0 };
  if (text.startsWith('\ufeff')) form.bom = true;
  const breaks: string[] = [];
  const kinds = new Set<string>();
  const yieldIfDue = yieldBetweenSteps();
  const tail: string[] = [];
  for (const slice of slicesOf(text.slice(text.trimEnd().length))) {
    tail.push(slice.replaceAll(ANY_BREAK, '\n'));
    await yieldIfDue();
  }
  if (tail.length > 0) form.tail = tail.join('');
  for (const slice of slicesOf(text)) {
    form.characters += countCharacters(slice);
    const letters = (slice.match(ANY_BREAK) ?? []).map((one) => BREAKS[one as keyof typeof BREAKS]);
    for (const letter of letters) kinds.add(letter);
    breaks.push(letters.join(''));
    await yieldIfDue();
  }
  const [kind] = kinds;
  if (kinds.size > 1) form.breaks = breaks.join('');
  else if (kind !== undefined && kind !== 'n') form.breaks = kind;
  return form;
}

/**
 * Makes the text as it was sent. The event loop turns in between.
 * @param plain the gaps and the own texts of its pieces, and its tail
 */
export async function exactText(plain: string, { bom, breaks = '' }: TextForm): Promise<string> {
  const slices = [bom === true ? '\ufeff' : ''];
  const yieldIfDue = yieldBetweenSteps();
  let at = 0;
  for (let from = 0; breaks !== '' && from < plain.length; from += SLICE_LENGTH) {
    const slice = plain.slice(from, from + SLICE_LENGTH);
    slices.push(
      slice.replaceAll('\n', () => BREAK_OF[breaks.length === 1 ? breaks : breaks.charAt(at++)] ?? '\n'),
    );
    await yieldIfDue();
  }
  if (breaks === '') slices.push(plain);
  return slices.join('');
}
