import { TextDecoder } from 'node:util';
import { XMLParser } from 'fast-xml-parser';
import sax from 'sax';
import { decodeMarkup } from '../encoding/markup.ts';
import { FileFault } from '../extraction.ts';
import type { ZipArchive } from './zip-archive.ts';

/** The attributes of an element, by their names in the file. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** The value of an attribute that has a prefix, whatever the file calls it. */
export function prefixedValue(attributes: Attributes, name: string): string | undefined {
  const key = Object.keys(attributes).find((each) => each.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

/** Receives the elements of an XML file in order. The text of an element can come in several pieces. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Documents are not nested more deeply. Handlers use no recursion, so the limit is only for memory. */
const MAX_DEPTH = 1_000;
/** The most characters of an attribute. The default, 64 KiB, is less than the outline of a country on a slide. */
Object.assign(sax, { MAX_BUFFER_LENGTH: 8 * 1024 * 1024 });
/** The declaration of the encoding, and a byte order mark, are in the first bytes. */
const DECLARED_ENCODING = /^[^>]{0,100}\sencoding\s*=\s*["']([\w-]+)["']/;
const MARKS: readonly [string, readonly number[]][] = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const corrupt = () =>
  new FileFault(
    'corrupt',
    'The file is damaged: a part of it is not valid XML. Send it again from a copy that opens.',
  );

function decoderOf(first: Uint8Array): TextDecoder {
  const marked = MARKS.find(([, mark]) => mark.every((byte, index) => first[index] === byte));
  const declared = DECLARED_ENCODING.exec(Buffer.from(first.subarray(0, 200)).toString('latin1'))?.[1];
  try {
    return new TextDecoder(marked?.[0] ?? declared ?? 'utf-8', { fatal: true });
  } catch {
    throw corrupt();
  }
}

/** A parser that calls the handler. It never expands entities of a document type: a reference to one is an error. */
function parserFor(handler: XmlHandler, withPrefixes: boolean): sax.SAXParser {
  const parser = sax.parser(true, { strictEntities: true } as sax.SAXOptions);
  const nameOf = (name: string) => (withPrefixes ? name : name.slice(name.indexOf(':') + 1));
  let depth = 0;
  parser.onerror = () => {
    throw corrupt();
  };
  parser.onattribute = ({ name }) => {
    // sax 1.6 calls this method of the attributes, and no document has an attribute with its name.
    if (name === 'hasOwnProperty') throw corrupt();
  };
  parser.onopentag = ({ name, attributes }) => {
    depth += 1;
    if (depth > MAX_DEPTH) {
      throw new FileFault(
        'too_deep',
        `The file is nested more than ${MAX_DEPTH} levels deep: save it in a simpler form.`,
      );
    }
    handler.open?.(nameOf(name), attributes as Attributes);
  };
  parser.onclosetag = (name) => {
    depth -= 1;
    handler.close?.(nameOf(name));
  };
  parser.ontext = (text) => handler.text?.(text);
  parser.oncdata = (text) => handler.text?.(text);
  return parser;
}

/**
 * Reads an XML file of an archive while it is unpacked.
 * @param options.prefixes whether the names of elements have their prefixes. Those of attributes always have them
 * @param options.onPiece is called with the share that is read, from 0 to 1
 * @returns whether the archive has the file
 * @throws FileFault `corrupt`, `too_deep`, and those of the archive
 */
export async function readXml(
  archive: ZipArchive,
  name: string,
  handler: XmlHandler,
  { prefixes = false, onPiece }: { prefixes?: boolean; onPiece?: (share: number) => void } = {},
): Promise<boolean> {
  if (!archive.names.has(name)) return false;
  const parser = parserFor(handler, prefixes);
  let decoder: TextDecoder | null = null;
  const write = (piece: Uint8Array, isLast: boolean) => {
    let text: string;
    try {
      decoder ??= decoderOf(piece);
      text = decoder.decode(piece, { stream: !isLast });
    } catch {
      throw corrupt();
    }
    if (text !== '') parser.write(text);
  };
  let read = 0;
  for await (const piece of archive.readPieces(name)) {
    write(piece, false);
    read += piece.length;
    onPiece?.(read / archive.sizeOf(name));
  }
  write(new Uint8Array(), true);
  parser.close();
  return true;
}

/** An element: its attributes as `@name`, its children by name without prefix, its text as `#text`. */
export interface XmlElement {
  [name: string]: unknown;
}

const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  // All elements have the same form, regardless of their number and attributes.
  isArray: (_name, _path, _isLeaf, isAttribute) => !isAttribute,
  alwaysCreateTextNode: true,
  // Also decodes numeric character references, which are not entities of a document type.
  htmlEntities: true,
  processEntities: { maxEntityCount: 20, maxEntitySize: 1_000, maxExpandedLength: 20_000 },
});

/**
 * Reads one of the small XML files that describe a package of documents.
 * @returns an element that holds the root
 * @throws FileFault `corrupt`
 */
export function readPackageXml(content: Uint8Array): XmlElement {
  try {
    return PARSER.parse(decodeMarkup(content, { xml: true }).text) as XmlElement;
  } catch {
    throw new FileFault(
      'corrupt',
      'The file is damaged: its description of itself cannot be read. Send it again from a copy that opens.',
    );
  }
}

/** The elements at the end of a path of element names, one name for each level. */
export function elementsAt(parent: XmlElement, ...path: string[]): XmlElement[] {
  let elements = [parent];
  for (const name of path) {
    elements = elements.flatMap((element) => {
      const children = Object.hasOwn(element, name) ? element[name] : undefined;
      return Array.isArray(children) ? children.filter((child) => typeof child === 'object') : [];
    }) as XmlElement[];
  }
  return elements;
}

/** The value of an attribute; null if it is missing. */
export function attributeOf(element: XmlElement | undefined, name: string): string | null {
  const value = element?.[`@${name}`];
  return typeof value === 'string' ? value : null;
}

/** The text of an element itself, or an empty string. */
export function ownText(element: XmlElement | undefined): string {
  const value = element?.['#text'];
  return typeof value === 'string' ? value : '';
}
