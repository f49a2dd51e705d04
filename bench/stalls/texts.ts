import { Writer } from '../../test/support/generated-text.ts';

/** A kind of text that is costly to read, check or index. */
interface TextKind {
  kind: string;
  /** A text of at most so many bytes in a JSON string. */
  make: (bytes: number) => string;
}

const writer = new Writer(5);

const repeated = (kind: string, part: string): TextKind => {
  const partBytes = Buffer.byteLength(JSON.stringify(part)) - 2;
  return { kind, make: (bytes) => part.repeat(Math.max(1, Math.floor(bytes / partBytes))) };
};

/** Text of six languages, cut to its length in bytes. */
function prose(bytes: number): string {
  const text = Buffer.from(writer.document(Math.min(bytes, 200_000)).replaceAll('\n', ' '));
  const whole = Buffer.concat(Array.from({ length: Math.ceil(bytes / text.length) }, () => text));
  return whole.subarray(0, bytes).toString('utf8').replaceAll('\ufffd', '');
}

export const TEXTS: readonly TextKind[] = [
  repeated('one letter', 'a'),
  repeated('letters beyond ASCII', 'é字'),
  repeated('blanks', ' '),
  { kind: 'prose', make: prose },
  repeated('pwd=', 'pwd='),
  repeated('pwd:1a!', 'pwd:1a!'),
  repeated('пароль:é', 'пароль:é'),
  repeated('token:"', 'token:"'),
  repeated('_authToken=', '_authToken='),
  repeated('AccountKey=', 'AccountKey='),
  repeated('marks and joiners', '\u0301\u200d'),
  repeated('emoji in one word', '👩‍👩‍👧‍👦'),
  repeated('line breaks', '\n'),
  repeated('control characters', '\u0001'),
];
