import { writeZip, type ZipMember } from '../../../support/zip-writer.ts';

/* The smallest workbooks and spreadsheets that are valid, to be filled by a test. */

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
const relations = (...each: string[]) =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;

/** A text as the content of an element. */
export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Members of an archive, in whose contents one text is replaced by another. */
export const replaced = (members: readonly ZipMember[], from: string, to: string): ZipMember[] =>
  members.map((each) => ({ ...each, content: String(each.content).replaceAll(from, to) }));

/** The parts of a workbook that a test can give. */
export interface WorkbookPlan {
  /** The content of `sheetData` of each sheet, by its name. */
  sheets: Readonly<Record<string, string>>;
  /** The content of the shared texts. */
  shared?: string;
  /** The codes of the formats: style 1 is the first. */
  formats?: readonly string[];
  from1904?: boolean;
  mediaType?: string;
  more?: readonly ZipMember[];
}

/** The files of a workbook. */
export function workbookMembers(plan: WorkbookPlan): ZipMember[] {
  const { sheets, shared, formats = [], from1904 = false, mediaType = SHEET_TYPE, more = [] } = plan;
  const names = Object.keys(sheets);
  const xfs = ['', ...formats].map((_, index) => `<xf numFmtId="${index === 0 ? 0 : 199 + index}"/>`);
  const codes = formats.map(
    (code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${escaped(code)}"/>`,
  );
  return [
    {
      name: '[Content_Types].xml',
      content: `${XML}<Types xmlns="${PACKAGE}/content-types"><Override PartName="/xl/workbook.xml" ContentType="${mediaType}"/></Types>`,
    },
    { name: '_rels/.rels', content: relations(relation('rId1', 'officeDocument', 'xl/workbook.xml')) },
    {
      name: 'xl/workbook.xml',
      content: `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr date1904="${from1904 ? 1 : 0}"/><sheets>${names
        .map(
          (name, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
        )
        .join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: relations(
        ...names.map((_, index) =>
          relation(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`),
        ),
        relation('rIdStyles', 'styles', 'styles.xml'),
        ...(shared === undefined ? [] : [relation('rIdTexts', 'sharedStrings', '/xl/sharedStrings.xml')]),
      ),
    },
    {
      name: 'xl/styles.xml',
      content: `${XML}<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${xfs.join('')}</cellXfs></styleSheet>`,
    },
    ...(shared === undefined
      ? []
      : [{ name: 'xl/sharedStrings.xml', content: `${XML}<sst xmlns="${MAIN}">${shared}</sst>` }]),
    ...Object.values(sheets).map((data, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `${XML}<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`,
    })),
    ...more,
  ];
}

/** A workbook. */
export const writeXlsx = (plan: WorkbookPlan) => writeZip(workbookMembers(plan));

/** A row of texts, for `WorkbookPlan`. */
export const textRow = (number: number, ...texts: string[]) =>
  `<row r="${number}">${texts.map((text) => (text === '' ? '<c/>' : `<c t="inlineStr"><is><t>${escaped(text)}</t></is></c>`)).join('')}</row>`;

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
const NAMESPACES = ['office', 'table', 'text', 'meta', 'style', 'drawing', 'presentation', 'script']
  .map((name) => `xmlns:${name === 'drawing' ? 'draw' : name}="${ODF}:${name}:1.0"`)
  .join(' ');

/** The files of a document of OpenDocument, whose body has this content. */
export function openDocumentMembers(
  kind: 'text' | 'spreadsheet' | 'presentation',
  body: string,
  { manifest = '', styles = '' } = {},
): ZipMember[] {
  const mediaType = `application/vnd.oasis.opendocument.${kind}`;
  return [
    { name: 'mimetype', content: mediaType },
    {
      name: 'META-INF/manifest.xml',
      content: `${XML}<manifest:manifest xmlns:manifest="${ODF}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${mediaType}"/>${manifest}</manifest:manifest>`,
    },
    {
      name: 'content.xml',
      content: `${XML}<office:document-content ${NAMESPACES} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:svg="${ODF}:svg-compatible:1.0"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
    {
      name: 'meta.xml',
      content: `${XML}<office:document-meta ${NAMESPACES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>A title</dc:title><dc:date>2024-02-03T04:05:06</dc:date></office:meta></office:document-meta>`,
    },
  ];
}

/** A document of OpenDocument. */
export const writeOpenDocument = (...given: Parameters<typeof openDocumentMembers>) =>
  writeZip(openDocumentMembers(...given));

/** A frame of a slide of OpenDocument with a text. */
export const frame = (role: string, text: string) =>
  `<draw:frame presentation:class="${role}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;

/** A cell of a spreadsheet with a text. */
export const textCell = (text: string, attributes = '') =>
  text === ''
    ? '<table:table-cell/>'
    : `<table:table-cell office:value-type="string"${attributes}><text:p>${escaped(text)}</text:p></table:table-cell>`;
