/* Splits a mailbox file into messages, by RFC 4155 and in the variants that mail programs write. */

/** A separator is `From `, an address, and a time with a year at its start or end. Prose after `From ` has no time. */
const TIME = /\d{1,2}:\d{2}.*\b\d{4}\b|\b\d{4}\b.*\d{1,2}:\d{2}/;
const HEADER = /^[!-9;-~]+:/;
/** A longer line is not a separator. The time is at the end of the line. */
const MAX_LINE_LENGTH = 400;
const TIME_LENGTH = 80;

/** The start of the line after the one at `at`. */
function nextLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline < 0 ? text.length : newline + 1;
}

function isSeparator(text: string, at: number): boolean {
  const next = nextLine(text, at);
  if (next - at > MAX_LINE_LENGTH || !TIME.test(text.slice(Math.max(at, next - TIME_LENGTH), next)))
    return false;
  const following = text.slice(next, next + MAX_LINE_LENGTH);
  return HEADER.test(following) || following.startsWith('>From ');
}

/** One message without the line that precedes it. */
export interface MboxMessage {
  content: Uint8Array;
  /** Where it ends in the file, as a share from 0 to 1. */
  share: number;
}

/**
 * The messages of a mailbox file, with lines `>From ` as they were written. Yields nothing if the file is not a
 * mailbox: its first line must be a separator that begins with `From `.
 */
export function* readMboxMessages(content: Uint8Array): Generator<MboxMessage> {
  // One character for each byte, because the messages of one file can have different character sets.
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
  const first = /^(?:\u00ef\u00bb\u00bf)?[\r\n]*/.exec(text)?.[0].length ?? 0;
  if (!text.startsWith('From ', first) || !isSeparator(text, first)) return;
  for (let start = nextLine(text, first); start < text.length; ) {
    let end = text.indexOf('\nFrom ', start - 1);
    while (end >= 0 && !isSeparator(text, end + 1)) end = text.indexOf('\nFrom ', end + 1);
    if (end < 0) end = text.length;
    const message = text.slice(start, end).replace(/^>(>*From )/gm, '$1');
    yield { content: Buffer.from(message, 'latin1'), share: end / text.length };
    start = end === text.length ? end : nextLine(text, end + 1);
  }
}
