import { extname } from 'node:path';
import { IMPORT_FORMATS, type ImportMediaType } from '../../shared/formats/import-formats.ts';

/**
 * Formats that the usual programs show and do not run. Others can have macros, formulas that start a program, or scripts,
 * or load files from elsewhere: pages, Office files, RTF, tables and mail.
 */
const SAFE: readonly ImportMediaType[] = [
  'text/plain',
  'text/markdown',
  'application/json',
  'application/x-ndjson',
  'application/pdf',
];

const OPENABLE: ReadonlySet<string> = new Set<string>(
  SAFE.flatMap((type) => IMPORT_FORMATS[type].extensions),
);

/** The formats that can be opened, for help: `plain text, Markdown, …`. */
export const OPENABLE_NAMES = SAFE.map((type) => IMPORT_FORMATS[type].label).join(', ');

/**
 * Whether a file can be opened without a question, by its name: the extension, and not the media type, decides which
 * program opens it. A new format cannot, until it is listed here.
 */
export function isOpenable(filename: string): boolean {
  return OPENABLE.has(extname(filename).slice(1).toLowerCase());
}
