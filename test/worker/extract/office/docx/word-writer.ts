import { writeZip, type ZipMember } from '../../../../support/zip-writer.ts';
import { wordMembers } from '../../office-writer.ts';

/*
 * Word documents with further parts, to be filled by a test.
 */

/** A part that the document refers to. */
export interface WordPart {
  /** The last segment of the type of its relation: `comments`. */
  type: string;
  /** Its name in the folder of the document. */
  name: string;
  content: string | Uint8Array;
  /** The identifier of its relation. */
  id?: string;
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The files of a document with parts. A part named `styles.xml` replaces the styles. */
export function wordMembersWith(body: string, parts: readonly WordPart[]): ZipMember[] {
  const relations = parts.map(
    ({ type, name, id }, index) =>
      `<Relationship Id="${id ?? `part${index}`}" Type="${RELATIONS}/${type}" Target="${name}"/>`,
  );
  const replaced = new Set(parts.map(({ name }) => `word/${name}`));
  return [
    ...wordMembers(body).filter(({ name }) => !replaced.has(name)),
    {
      name: 'word/_rels/document.xml.rels',
      content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}</Relationships>`,
    },
    ...parts.map(({ name, content }) => ({ name: `word/${name}`, content })),
  ];
}

/** A document with parts. */
export const writeWord = (body: string, ...parts: WordPart[]) => writeZip(wordMembersWith(body, parts));

/** A part whose relation and name are of its kind: `comments`, `styles`. */
export const part = (type: string, content: string): WordPart => ({
  type,
  name: `${type}.xml`,
  content: `<w:${type}>${content}</w:${type}>`,
});

/** A run of text, with properties. */
export const run = (text: string, properties = '') =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;

/** A paragraph of runs, with properties. */
export const paragraph = (runs: string, properties = '') =>
  `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${runs}</w:p>`;

/** A paragraph in a list. */
export const numbered = (text: string, ilvl = 0, numId = '1', more = '') =>
  paragraph(run(text), `${more}<w:numPr><w:ilvl w:val="${ilvl}"/><w:numId w:val="${numId}"/></w:numPr>`);

/** A cell with paragraphs. */
export const cell = (content: string, properties = '') =>
  `<w:tc>${properties === '' ? '' : `<w:tcPr>${properties}</w:tcPr>`}${content}</w:tc>`;

/** A table of rows of cells that hold texts. */
export const table = (...rows: string[][]) =>
  `<w:tbl>${rows.map((row) => `<w:tr>${row.map((text) => cell(paragraph(run(text)))).join('')}</w:tr>`).join('')}</w:tbl>`;
