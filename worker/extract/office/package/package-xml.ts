import { XMLParser } from 'fast-xml-parser';
import { FileFault } from '../../extraction.ts';
import { decodeMarkup } from '../../html/markup-encoding.ts';

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
    return PARSER.parse(decodeMarkup(content, { xml: true })) as XmlElement;
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
