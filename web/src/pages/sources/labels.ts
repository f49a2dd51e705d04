import { importMediaType } from '../../../../shared/formats/media-types.ts';
import type { Source } from '../../../../shared/schemas/sources.ts';
import type { Answer } from '../../app/request.ts';

/** What kinds of sources are called. */
export const KINDS: Readonly<Record<Source['kind'], string>> = {
  ingest: 'Note',
  import: 'Imported file',
  memory: 'Memory',
  file: 'Workspace file',
};

/** A source with a page of its passages. */
export type SourceText = Answer<'getSource'>;

/**
 * How a text is shown: as Markdown (with the line breaks that it has, or without those within a paragraph), as the rows of
 * tables, as it was written, or with letters of one width.
 */
export type Form = 'markdown' | 'lines' | 'records' | 'text' | 'code';

/** Forms of what is stored otherwise than it was written. */
const FORMS: readonly [RegExp, Form][] = [
  [/markdown|pdf/, 'markdown'],
  [/csv|tab-separated|spreadsheet/, 'records'],
  [/html|epub|openxml|opendocument|rtf|rfc822|outlook|related|mbox|ipynb/, 'lines'],
  [/source-code/, 'code'],
];

/** How the text of a source is shown. */
export function formOf({ kind, uri, title, original, metadata }: SourceText): Form {
  if (kind === 'ingest' || kind === 'memory') return 'lines';
  const { filename } = metadata;
  const name = typeof filename === 'string' ? filename : kind === 'file' ? uri : title;
  const type = original?.mediaType ?? importMediaType(name ?? '', undefined, true) ?? '';
  return FORMS.find(([types]) => types.test(type))?.[1] ?? 'text';
}
