import { type Extractor, FileFault } from './extraction.ts';

const decoders: readonly { mark: readonly number[]; encoding: string }[] = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
];

/** Plain text and Markdown: UTF-8, or UTF-16 where the file begins with its byte order mark. */
export const extractPlainText: Extractor = (content) => {
  const marked = decoders.find(({ mark }) => mark.every((byte, index) => content[index] === byte));
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
  if (text.trim() === '') throw new FileFault('no_text', 'The file holds no text.');
  return { text };
};
