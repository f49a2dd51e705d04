import { FileFault } from '../extraction.ts';

const MARKS: readonly { mark: readonly number[]; encoding: string }[] = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
];

/**
 * Replaces NUL characters and unpaired surrogates with U+FFFD. The database refuses them, and escape sequences can
 * produce them.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/**
 * Decodes a text file: UTF-8, or UTF-16 if it begins with a byte order mark.
 * @throws FileFault `invalid_encoding`; `not_text` for binary data
 */
export function decodeText(content: Uint8Array): string {
  const marked = MARKS.find(({ mark }) => mark.every((byte, index) => content[index] === byte));
  let text: string;
  try {
    text = new TextDecoder(marked?.encoding ?? 'utf-8', { fatal: true }).decode(content);
  } catch {
    throw new FileFault(
      'invalid_encoding',
      'The file is not UTF-8 text: save it as UTF-8 and import it again.',
    );
  }
  if (text.includes('\u0000')) {
    throw new FileFault('not_text', 'The file holds binary data, not text: import it under its own type.');
  }
  return text;
}
