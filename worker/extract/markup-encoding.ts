import sniffEncoding from 'html-encoding-sniffer';
import { FileFault } from './extraction.ts';

/**
 * Decodes an HTML or XML file, by its byte order mark, otherwise by the encoding that it declares, otherwise as UTF-8.
 * @param options.xml whether the file is XML; then only the XML declaration counts
 * @throws FileFault `invalid_encoding`; `not_text` for binary data
 */
export function decodeMarkup(content: Uint8Array, { xml }: { xml: boolean }): string {
  const encoding = sniffEncoding(content, { defaultEncoding: 'UTF-8', xml });
  let text: string | null;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(content);
  } catch {
    text = null;
  }
  if (text?.includes('\0') ?? content.includes(0)) {
    throw new FileFault('not_text', 'The file holds binary data, not text: import it under its own type.');
  }
  if (text === null) {
    throw new FileFault(
      'invalid_encoding',
      `The file is not valid ${encoding} text (the encoding that it declares, or the default): save it as UTF-8.`,
    );
  }
  return text;
}
