import type { Match, Range, Rule } from '../match.ts';
import { atEach } from '../pieces.ts';
import { base64Runs, decodeBase64 } from './base64.ts';
import { type Decoded, decodeText } from './decode.ts';

/*
 * Credentials in a text that is encoded: `password%3Dhunter22`, `&quot;`, full width, invisible characters between letters, and
 * base64 of a line. Only lines with such an encoding are decoded. The other rules search what they decode to.
 */

/** Where a line is encoded. Invisible characters that join emoji or letters of other writings do not count. */
const ENCODED =
  /%[2-7][0-9a-f]|&(?:#|[a-z]{2,8};)|\\u00[2-7]|\\x[2-7][0-9a-f]|[\uff10-\uff19\uff1d\uff21-\uff3a\uff3f\uff41-\uff5a]|[\u00ad\u200b-\u200d\u2060\ufeff](?:(?=[!-\u058f\u3040-\u9fff\uac00-\ud7af])|(?<=[!-\u058f\u3040-\u9fff\uac00-\ud7af].))/gi;
/** The most of a line that is decoded at once. */
const BEFORE = 1024;
const AFTER = 4096;

/** Short texts are searched together. */
const MAX_JOINED = 4096;
const SEPARATOR = '\n\0\n';

/** A rule that applies other rules to what is encoded in a text. */
export function encodedCredentials(rules: readonly Rule[]): Rule {
  return {
    name: 'encoded',
    *find(text, range) {
      yield* searchDecoded(text, linesIn(text, range), decodeText, rules);
      yield* searchDecoded(text, base64Runs(text, range), decodeBase64, rules);
    },
  };
}

function linesIn(text: string, range: Range): Generator<Range | undefined> {
  return atEach<Range>(text, range, ENCODED, (index) => {
    const before = Math.max(0, index - BEFORE);
    const start = before + text.slice(before, index).lastIndexOf('\n') + 1;
    const length = text.slice(index, index + AFTER).indexOf('\n');
    const end = length < 0 ? Math.min(text.length, index + AFTER) : index + length;
    return { match: { start, end }, next: end, read: BEFORE + AFTER };
  });
}

/** Decodes parts of a text, and searches them together. */
function* searchDecoded(
  text: string,
  parts: Iterable<Range | undefined>,
  decode: (part: string) => Decoded | null,
  rules: readonly Rule[],
): Generator<Match | undefined> {
  let joined: Decoded = { text: '', starts: [], ends: [] };
  for (const part of parts) {
    if (part === undefined) {
      yield;
      continue;
    }
    const decoded = decode(text.slice(part.start, part.end));
    if (decoded === null) continue;
    for (const [index, start] of decoded.starts.entries()) {
      joined.starts.push(part.start + start);
      joined.ends.push(part.start + decoded.ends[index]!);
    }
    for (const _ of SEPARATOR) {
      joined.starts.push(part.end);
      joined.ends.push(part.end);
    }
    joined.text += decoded.text + SEPARATOR;
    if (joined.text.length < MAX_JOINED) continue;
    yield* searchJoined(joined, rules);
    joined = { text: '', starts: [], ends: [] };
  }
  yield* searchJoined(joined, rules);
}

function* searchJoined(
  { text, starts, ends }: Decoded,
  rules: readonly Rule[],
): Generator<Match | undefined> {
  if (text === '') return;
  for (const rule of rules) {
    for (const match of rule.find(text, { start: 0, end: text.length })) {
      if (match === undefined) yield;
      else yield { rule: match.rule, start: starts[match.start]!, end: ends[match.end - 1]! };
    }
  }
}
