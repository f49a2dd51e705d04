import { isUtf8 } from 'node:buffer';
import { decodeWithCharset } from '../encoding/declared.ts';

/* Headers must be ASCII or UTF-8 (RFC 6532). Older programs write other encodings into them as they are. */

const BOUNDARY = /boundary="?([^"\r\n;]{1,100})/gi;
const CHARSET = /charset="?([\w.:-]{1,40})/i;
/** A message with more boundaries than this is searched for the first of them only. */
const MAX_BOUNDARIES = 1000;

/** The ranges of the headers of a message and of its parts. Each begins with a line, and ends before a blank one. */
function headerRanges(text: string): { start: number; end: number }[] {
  const boundaries = new Set<string>();
  for (const [, boundary = ''] of text.matchAll(BOUNDARY)) {
    if (boundaries.size < MAX_BOUNDARIES) boundaries.add(`--${boundary.trimEnd()}`);
  }
  const ranges: { start: number; end: number }[] = [];
  let start: number | null = 0;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const next = newline < 0 ? text.length : newline + 1;
    const isShort = next - at <= 120;
    if (start === null && isShort && boundaries.has(text.slice(at, next).trimEnd())) start = next;
    else if (start !== null && isShort && text.slice(at, next).trim() === '') {
      ranges.push({ start, end: at });
      start = null;
    }
    at = next;
  }
  if (start !== null) ranges.push({ start, end: text.length });
  return ranges;
}

/** A message whose headers are UTF-8: those in another encoding are decoded by the declared one, or by detection. */
export function utf8Headers(content: Uint8Array): Uint8Array {
  if (isUtf8(content)) return content;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const text = bytes.toString('latin1');
  const pieces: Uint8Array[] = [];
  let done = 0;
  for (const { start, end } of headerRanges(text)) {
    const headers = bytes.subarray(start, end);
    if (isUtf8(headers)) continue;
    const charset = CHARSET.exec(text.slice(start, end))?.[1];
    pieces.push(bytes.subarray(done, start), Buffer.from(decodeWithCharset(headers, charset).text));
    done = end;
  }
  return pieces.length === 0 ? content : Buffer.concat([...pieces, bytes.subarray(done)]);
}
