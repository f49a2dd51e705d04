import { IMPORT_FORMATS, type ImportFormat, type ImportMediaType } from '../../shared/formats/media-types.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import { MAX_KEPT_REDACTIONS } from '../../shared/schemas/imports.ts';
import { PLACE_TEXTS } from '../../shared/schemas/sources.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import { type Finding, findSecretsNow } from '../../shared/secrets/find-secrets.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import type { DocumentPart, PartPlace } from '../../shared/text/prepared-chunks.ts';
import { FileFault, SecretFault } from './extraction.ts';

/** Code points between two parts in the text of a document: a blank line. */
const BETWEEN_PARTS = 2;

/** The texts that a document has, in storable form. */
export interface DocumentTexts {
  title: string | null;
  parts: DocumentPart[];
  /** Its names are texts of the file, such as those of attachments. */
  unread: Unread[];
}

/** A text beside those of the parts, and the path under which its credentials are listed. */
interface LabelText {
  path: string;
  text: string;
}

/** The title, and each distinct text of the places, the headings and the names of what was not read. */
function labelsOf({ title, parts, unread }: DocumentTexts): LabelText[] {
  const distinct = (path: string, texts: readonly string[]) =>
    [...new Set(texts)].map((text) => ({ path, text }));
  const names = unread.flatMap((entry) => entry.names.filter((name) => typeof name === 'string'));
  return [
    ...distinct('/documentTitle', title === null ? [] : [title]),
    ...PLACE_TEXTS.flatMap((field) => {
      const texts = parts.flatMap(({ place }) => place?.[field] ?? []);
      return distinct(`/${field}`, texts);
    }),
    ...distinct(
      '/headings',
      parts.flatMap(({ headings = [] }) => headings),
    ),
    ...distinct('/unread', names),
  ];
}

function maskPlace(place: PartPlace, mask: (text: string) => string): PartPlace {
  const texts = PLACE_TEXTS.flatMap((field) => {
    const text = place[field];
    return text === undefined ? [] : [[field, mask(text)] as const];
  });
  return { ...place, ...Object.fromEntries(texts) };
}

/**
 * Checks the text of a document for credentials, before it is cut.
 * @returns what is to be stored, and what was found: `/text` is all parts with a blank line between them, and
 *   `/documentTitle` the title that the document contains, `/sheet` and the like the texts of places, `/headings` the
 *   headings above parts, and `/unread` the names of what was not read
 * @throws SecretFault in the mode `refuse`
 */
export function redactDocument(
  document: DocumentTexts,
  mode: RedactionMode,
): DocumentTexts & { redactions: Redaction[] } {
  if (mode === 'off') return { ...document, redactions: [] };
  const { title, parts, unread } = document;
  const labels = labelsOf(document);
  const checked = findSecretsNow([...labels, ...parts].map(({ text }) => ({ text })));
  const ofParts = checked.slice(labels.length);
  const redactions = labels.flatMap(({ path }, index) =>
    (checked[index]?.findings ?? []).map((finding) => locate(finding, path, 0)),
  );
  if (ofParts.some(({ findings }) => findings.length > 0)) {
    let from = 0;
    for (const [index, { text }] of parts.entries()) {
      for (const finding of ofParts[index]?.findings ?? []) redactions.push(locate(finding, '/text', from));
      from += countCodePoints(text) + BETWEEN_PARTS;
    }
  }
  const listed = redactions.slice(0, MAX_KEPT_REDACTIONS);
  if (redactions.length === 0 || mode === 'flag') return { ...document, redactions: listed };
  if (mode === 'refuse') throw new SecretFault(listed);
  const masked = new Map(labels.map(({ text }, index) => [text, checked[index]?.masked ?? '']));
  const mask = (text: string) => masked.get(text) ?? '';
  return {
    title: title === null ? null : mask(title),
    parts: parts.map(({ place, ...part }, index) => ({
      ...part,
      text: ofParts[index]?.masked ?? '',
      place: place === null ? null : maskPlace(place, mask),
      ...(part.headings && { headings: part.headings.map(mask) }),
    })),
    unread: unread.map((entry) => ({
      ...entry,
      names: entry.names.map((name) => (typeof name === 'string' ? mask(name) : name)),
    })),
    redactions: listed,
  };
}

const locate = ({ rule, start, end, preview }: Finding, path: string, from: number): Redaction => ({
  rule,
  path,
  start: from + start,
  end: from + end,
  preview,
});

function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xdc00 && unit < 0xe000) count -= 1;
  }
  return count;
}

/** The endings of the names of parts that are text. */
const TEXT_PARTS = [
  '.xml',
  '.rels',
  '.vml',
  '.html',
  '.xhtml',
  '.htm',
  '.opf',
  '.ncx',
  '.js',
  '.css',
  '.json',
  '.txt',
];

/** Unpacked text that is searched in an archive. Otherwise the search could take longer than reading the file. */
const MAX_SEARCHED_BYTES = 32 * 1024 * 1024;

/**
 * Whether a file has a credential, also where its text is not read: in a script, a link or a property. Also true for an
 * archive that cannot be searched: it is too large, or a part is damaged. False for formats that are read as they are.
 */
export async function hasRawCredentials(mediaType: string, content: Uint8Array): Promise<boolean> {
  const format = IMPORT_FORMATS[mediaType as ImportMediaType] as ImportFormat | undefined;
  if (format?.content === 'archive') return archiveHasCredentials(content);
  return format?.content === 'partly read' && hasCredentials(content);
}

async function archiveHasCredentials(content: Uint8Array): Promise<boolean> {
  const { openZip } = await import('./office/zip-archive.ts');
  try {
    const archive = await openZip(content);
    const names = [...archive.names].filter((name) => {
      const lower = name.toLowerCase();
      return TEXT_PARTS.some((ending) => lower.endsWith(ending));
    });
    const total = names.reduce((bytes, name) => bytes + archive.sizeOf(name), 0);
    if (total > MAX_SEARCHED_BYTES) return true;
    for (const name of names) {
      const part = await archive.read(name);
      if (part !== null && hasCredentials(part)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof FileFault) return true;
    throw error;
  }
}

function hasCredentials(content: Uint8Array): boolean {
  const [found] = findSecretsNow([{ text: asText(content) }]);
  return found !== undefined && found.findings.length > 0;
}

/** Decodes a file so that its ASCII characters are right, which is enough to find credentials. */
function asText(content: Uint8Array): string {
  const [first, second] = content;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(content);
  // Text in UTF-16 or UTF-32 without a mark, and messages of Outlook, which have texts in UTF-16 between others.
  return bytes.toString('latin1').replace(/([^\0])\0{1,3}/g, '$1');
}
