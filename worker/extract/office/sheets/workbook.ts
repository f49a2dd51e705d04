import { FileFault } from '../../extraction.ts';
import { TextBudget } from '../../text/text-budget.ts';
import { mismatchFault } from '../package/kinds.ts';
import { type OfficePackage, type Relation, relationsOf } from '../package/ooxml.ts';
import { type Attributes, readXml } from '../package/xml-events.ts';
import type { ZipArchive } from '../package/zip-archive.ts';
import { builtInFormat, type NumberFormat, parseFormat } from './number-format.ts';

/** The small parts of a workbook, and the texts that its cells share. */

/** A sheet of a workbook: its name, and the path of its part. */
export interface SheetPart {
  name: string;
  path: string;
}

/** What all sheets of a workbook have in common. */
export interface Workbook {
  sheets: SheetPart[];
  from1904: boolean;
  /** The formats of numbers, by the style of a cell. */
  formats: NumberFormat[];
  sharedTexts: string[];
}

export const missingSheetFault = () =>
  new FileFault('corrupt', 'The file is damaged: a sheet is missing. Send it again from a copy that opens.');

/** A character that XML cannot contain, as spreadsheets write it. */
const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;

/** Decodes characters such as `_x000D_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const TRUE = /^(?:1|true|on)$/;

/** The value of an attribute that has a prefix. */
function prefixed(attributes: Attributes, name: string): string | undefined {
  const key = Object.keys(attributes).find((each) => each.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

async function readSheetList(
  { archive, main }: OfficePackage,
  relations: readonly Relation[],
): Promise<Pick<Workbook, 'sheets' | 'from1904'>> {
  const sheets: SheetPart[] = [];
  const seen = new Set<string>();
  const byId = new Map(relations.map((each) => [each.id, each]));
  let from1904 = false;
  let root: string | null = null;
  await readXml(archive, main, {
    open: (name, attributes) => {
      root ??= name;
      // Excel writes a second element of this name, an extension, which says nothing about dates.
      if (name === 'workbookPr' && TRUE.test(attributes.date1904 ?? '')) from1904 = true;
      if (name !== 'sheet') return;
      const id = prefixed(attributes, 'id');
      const relation = byId.get(id ?? '');
      if (relation === undefined) throw missingSheetFault();
      // Sheets of charts and macros have no cells. A part that several sheets name is read once.
      if (relation.type !== 'worksheet' || seen.has(relation.target)) return;
      seen.add(relation.target);
      sheets.push({ name: attributes.name ?? '', path: relation.target });
    },
  });
  if (root !== 'workbook') throw mismatchFault('XLSX', null);
  return { sheets, from1904 };
}

async function readFormats(archive: ZipArchive, path: string | undefined): Promise<NumberFormat[]> {
  const codes = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let inCells = false;
  if (path === undefined) return formats;
  await readXml(archive, path, {
    open: (name, attributes) => {
      if (name === 'numFmt') codes.set(Number(attributes.numFmtId), parseFormat(attributes.formatCode ?? ''));
      else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) {
        const id = Number(attributes.numFmtId ?? 0);
        formats.push(codes.get(id) ?? builtInFormat(id));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return formats;
}

async function readSharedTexts(archive: ZipArchive, path: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  const budget = new TextBudget();
  let text = '';
  let isText = false;
  let phonetic = false;
  if (path === undefined) return texts;
  await readXml(archive, path, {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') phonetic = true;
      else if (name === 't') isText = !phonetic;
    },
    text: (piece) => {
      if (isText) text += piece;
    },
    close: (name) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') phonetic = false;
      else if (name === 'si') {
        budget.addText(text.length);
        texts.push(unescapeText(text));
      }
    },
  });
  return texts;
}

/**
 * Reads what all sheets of a workbook have in common.
 * @throws FileFault `corrupt`, `too_many_chunks`
 */
export async function readWorkbook(office: OfficePackage): Promise<Workbook> {
  const { archive, main } = office;
  const relations = await relationsOf(archive, main);
  const partOf = (type: string) => relations.find((each) => each.type === type)?.target;
  return {
    ...(await readSheetList(office, relations)),
    formats: await readFormats(archive, partOf('styles')),
    sharedTexts: await readSharedTexts(archive, partOf('sharedStrings')),
  };
}
