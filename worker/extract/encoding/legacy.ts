import { createRequire } from 'node:module';
import type * as Jschardet from 'jschardet';
import { plausibilityOf } from './plausibility.ts';
import { sampleOf } from './sample.ts';
import { decodeAs } from './unicode.ts';
import { isUnreadable, withFewUnreadable } from './unreadable.ts';

const require = createRequire(import.meta.url);

/** The encodings that are considered. Others are rarer than errors about them. */
const CONSIDERED: readonly string[] = [
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-13',
  'iso-8859-15',
  'koi8-r',
  'koi8-u',
  'ibm866',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gb18030',
  'big5',
];

/** The names that `jschardet` takes and gives, where they are not those of the Encoding Standard. */
const OTHER_NAMES: readonly (readonly [standard: string, other: string])[] = [
  ['windows-874', 'cp874'],
  ['iso-8859-15', 'iso8859-15'],
  ['macintosh', 'macroman'],
  ['shift_jis', 'shift_jis_2004'],
  ['shift_jis', 'cp932'],
  ['euc-jp', 'euc-jis-2004'],
  ['euc-kr', 'cp949'],
  ['big5', 'big5hkscs'],
];

/** How much more often an encoding occurs than the others. It decides if the text is too short to. */
const FREQUENCIES = new Map([
  ['windows-1252', 1.15],
  ['macintosh', 0.7],
  ['iso-8859-6', 0.85],
]);

/** `jschardet` does not consider Japanese in some short texts. A text that has at least this share of kana is Japanese. */
const MIN_KANA = 0.3;
const KANA_CONFIDENCE = 0.1;
const HALF_WIDTH_CONFIDENCE = 0.3;
const KANA = /[\u3041-\u30ff]/g;
const NOT_ASCII = /\P{ASCII}/gu;

/** A sequence of four bytes, which GB 18030 has and GBK, which is part of it, does not. */
const FOUR_BYTES = /[\x81-\xfe][0-9][\x81-\xfe][0-9]/;

function hasFourBytes(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return FOUR_BYTES.test(bytes.toString('latin1'));
}

/** A text that is valid in one encoding is seldom a damaged one in another. */
const DAMAGED = 0.7;

/** The bytes of a text that an encoding explains: ASCII, and sequences of up to four bytes. */
function explainedBytes(encoding: string, content: Uint8Array): Uint8Array {
  const decoder = new TextDecoder(encoding);
  // A decoder takes some time for each call, and texts repeat their letters.
  const known = new Map<string, boolean>();
  const isExplained = (bytes: Uint8Array) => {
    const key = bytes.join();
    const explained = known.get(key) ?? !isUnreadable(decoder.decode(bytes));
    known.set(key, explained);
    return explained;
  };
  const explained: Uint8Array[] = [];
  for (let start = 0; start < content.length; ) {
    const sequences = [1, 2, 3, 4].map((length) => content.subarray(start, start + length));
    const sequence = sequences.find(isExplained);
    if (sequence !== undefined) explained.push(sequence);
    start += sequence?.length ?? 1;
  }
  return Buffer.concat(explained);
}

/** An encoding that a text can have, with the text that it makes of a sample. */
interface Candidate {
  encoding: string;
  text: string;
  likelihood: number;
}

/** The share of a text outside ASCII that is kana. */
function shareOfKana(text: string): number {
  return (text.match(KANA)?.length ?? 0) / Math.max(1, text.match(NOT_ASCII)?.length ?? 0);
}

/** Whether a text is in the narrow kana of old Japanese programs. Cyrillic read as them has none of the first ones. */
function isHalfWidth(text: string): boolean {
  const all = text.match(NOT_ASCII)?.length ?? 0;
  const kana = text.match(/[\uff66-\uff9f]/g)?.length ?? 0;
  const first = text.match(/[\uff70-\uff7f]/g)?.length ?? 0;
  return kana > 0.9 * all && first > 0.2 * all;
}

/** How likely each of these encodings is for a text, as `jschardet` says. Those in which it is not valid are missing. */
function confidencesOf(content: Uint8Array, encodings: readonly string[]): Map<string, number> {
  // Loaded only here: its tables take 70 MB and 150 ms, and most files are UTF-8.
  const { detectAll } = require('jschardet') as typeof Jschardet;
  // Without windows-1252, it writes a warning if no encoding fits.
  const names = [...new Set([...encodings, 'windows-1252'])].flatMap((encoding) => {
    const others = OTHER_NAMES.filter(([standard]) => standard === encoding);
    return others.length === 0 ? [encoding] : others.map(([, other]) => other);
  });
  const confidences = new Map<string, number>();
  for (const { encoding: given, confidence } of detectAll(content, {
    detectEncodings: names,
    minimumThreshold: 0,
  })) {
    if (given === null) continue;
    const name = given.toLowerCase();
    const standard = OTHER_NAMES.find(([, other]) => other === name)?.[0] ?? new TextDecoder(name).encoding;
    if (!confidences.has(standard)) confidences.set(standard, confidence);
  }
  return confidences;
}

/** How likely a candidate is: as `jschardet` says, and less if its text is not one that a person would write. */
function candidateOf(encoding: string, text: string, confidence: number): Candidate {
  const likelihood = confidence * (FREQUENCIES.get(encoding) ?? 1) * plausibilityOf(text);
  return { encoding, text, likelihood };
}

/** Candidates in which a sample is valid but for a few bytes. `jschardet` does not consider them. */
function damagedCandidates(sample: Uint8Array): Candidate[] {
  return CONSIDERED.flatMap((encoding) => {
    const text = decodeAs(encoding, sample);
    if (!isUnreadable(text) || withFewUnreadable(text) === null) return [];
    const confidence = confidencesOf(explainedBytes(encoding, sample), [encoding]).get(encoding) ?? 0;
    return [candidateOf(encoding, text, confidence * DAMAGED)];
  });
}

/** Candidates for Japanese text that `jschardet` does not consider. */
function kanaCandidates(sample: Uint8Array): Candidate[] {
  return ['shift_jis', 'euc-jp'].flatMap((encoding) => {
    const text = decodeAs(encoding, sample);
    const kana = shareOfKana(text);
    return kana > MIN_KANA || isHalfWidth(text)
      ? [candidateOf(encoding, text, isHalfWidth(text) ? HALF_WIDTH_CONFIDENCE : kana * KANA_CONFIDENCE)]
      : [];
  });
}

/** The likeliest first. */
function candidatesOf(sample: Uint8Array): Candidate[] {
  const valid = [...confidencesOf(sample, CONSIDERED)].map(([encoding, confidence]) =>
    candidateOf(encoding, decodeAs(encoding, sample), confidence),
  );
  return [...valid, ...kanaCandidates(sample), ...damagedCandidates(sample)].sort(
    (a, b) => b.likelihood - a.likelihood,
  );
}

/**
 * The encodings that a text can have that is neither Unicode nor ASCII, the likeliest first. Those that make no text of it are
 * left out.
 */
export function legacyEncodingsOf(content: Uint8Array): string[] {
  const candidates = candidatesOf(sampleOf(content)).filter(({ likelihood }) => likelihood > 0);
  // If several encodings make the same text of the file, the most frequent one is named.
  const same = candidates.filter(({ text }) => text === candidates[0]?.text);
  const first =
    same.find(({ encoding }) => encoding === 'windows-1252') ??
    same.find(({ encoding }) => encoding.startsWith('windows-')) ??
    same[0];
  const names = new Set(
    [...(first === undefined ? [] : [first]), ...candidates].map(({ encoding }) => encoding),
  );
  return [...names].map((name) => (name === 'gb18030' && !hasFourBytes(content) ? 'gbk' : name));
}
