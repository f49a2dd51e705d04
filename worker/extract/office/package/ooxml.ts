import { posix } from 'node:path';
import { dayOf } from '../../../../shared/text/fields.ts';
import type { Extraction } from '../../extraction.ts';
import { oneLine } from '../../text/markdown-text.ts';
import { mismatchFault, refuseOle } from './kinds.ts';
import { attributeOf, elementsAt, ownText, readPackageXml } from './package-xml.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

/** Packages of Office Open XML: DOCX, XLSX and PPTX. */

/** A reference from one part of a package to another. */
export interface Relation {
  id: string;
  /** The last segment of its type: `worksheet`. It is the same in both editions of the standard. */
  type: string;
  /** The path of the part in the archive. */
  target: string;
}

/** An open package. */
export interface OfficePackage {
  archive: ZipArchive;
  /** The path of its main part. */
  main: string;
}

/** The formats by their media types' middle, which both the document and its variants with macros have. */
const KINDS = [
  { name: 'DOCX', described: 'a DOCX document', type: /wordprocessingml|ms-word/ },
  { name: 'XLSX', described: 'an XLSX workbook', type: /spreadsheetml|ms-excel\.(?!sheet\.binary)/ },
  { name: 'PPTX', described: 'a PPTX presentation', type: /presentationml|ms-powerpoint/ },
] as const;
export type OfficeKind = (typeof KINDS)[number]['name'];

/** The relations of a part that lead to other parts of the package. External ones are left out: nothing follows them. */
export async function relationsOf(archive: ZipArchive, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const content = await archive.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  if (content === null) return [];
  return elementsAt(readPackageXml(content), 'Relationships', 'Relationship').flatMap((each) => {
    const target = attributeOf(each, 'Target') ?? '';
    if (attributeOf(each, 'TargetMode') === 'External') return [];
    return [
      {
        id: attributeOf(each, 'Id') ?? '',
        type: posix.basename(attributeOf(each, 'Type') ?? ''),
        target: posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1),
      },
    ];
  });
}

async function mediaTypeOf(archive: ZipArchive, part: string): Promise<string | null> {
  const content = await archive.read('[Content_Types].xml');
  if (content === null) return null;
  const overrides = elementsAt(readPackageXml(content), 'Types', 'Override');
  const own = overrides.find(
    (each) => attributeOf(each, 'PartName')?.toLowerCase() === `/${part}`.toLowerCase(),
  );
  return attributeOf(own, 'ContentType');
}

/**
 * Opens a package of Office Open XML.
 * @throws FileFault `locked`, `zip_bomb`; `corrupt`, also for content of another format
 */
export async function openOffice(content: Uint8Array, expected: OfficeKind): Promise<OfficePackage> {
  refuseOle(content, expected);
  const archive = await openZip(content);
  const main = (await relationsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined || !archive.names.has(main)) throw mismatchFault(expected, null);
  const mediaType = await mediaTypeOf(archive, main);
  const found = KINDS.find(({ type }) => mediaType !== null && type.test(mediaType));
  // A package can leave out the type of its main part. The reader then finds out that it is another one.
  const isKnown = mediaType === null || mediaType === 'application/xml';
  if (found?.name !== expected && !(found === undefined && isKnown)) {
    throw mismatchFault(expected, found?.described ?? null);
  }
  return { archive, main };
}

/** The title of the document, and the day on which it was last changed. */
export async function readProperties(archive: ZipArchive): Promise<Pick<Extraction, 'title' | 'date'>> {
  const relation = (await relationsOf(archive, '')).find(({ type }) => type === 'core-properties');
  // Some programs leave out the relation.
  const core = await archive.read(relation?.target ?? 'docProps/core.xml');
  if (core === null) return { title: null };
  const properties = readPackageXml(core);
  const [title] = elementsAt(properties, 'coreProperties', 'title');
  const [changed] = elementsAt(properties, 'coreProperties', 'modified');
  return { title: oneLine(ownText(title)) || null, date: dayOf(new Date(ownText(changed))) };
}
