import { extname } from 'node:path';
import { IMPORT_FORMATS, type ImportMediaType } from '../../shared/formats/import-formats.ts';

/** Formats whose files can run scripts in the program that opens them. */
const WITH_SCRIPTS: ReadonlySet<ImportMediaType> = new Set(['text/html']);

const FORMATS = Object.entries(IMPORT_FORMATS) as [ImportMediaType, { extensions: readonly string[] }][];

const OPENABLE: ReadonlySet<string> = new Set(
  FORMATS.filter(([type]) => !WITH_SCRIPTS.has(type)).flatMap(([, { extensions }]) => extensions),
);

/**
 * Whether a file can be opened without a question, by its name: the extension, and not the media type, decides which
 * program opens it. Documents can be opened. Programs, scripts, pages and everything unknown cannot.
 */
export function isOpenable(filename: string): boolean {
  return OPENABLE.has(extname(filename).slice(1).toLowerCase());
}
