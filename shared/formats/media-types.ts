/** The file formats that can be imported: media types and their extensions. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'text/plain': ['txt', 'text', 'log'],
  'text/markdown': ['md', 'markdown'],
  'text/html': ['html', 'htm', 'xhtml'],
  'text/csv': ['csv'],
  'text/tab-separated-values': ['tsv'],
  'application/json': ['json'],
  'application/x-ndjson': ['jsonl', 'ndjson'],
  'application/pdf': ['pdf'],
  'application/epub+zip': ['epub'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'message/rfc822': ['eml'],
  'application/mbox': ['mbox'],
};

/** Other names for the same formats. */
const ALIASES: Readonly<Record<string, string>> = {
  'text/x-markdown': 'text/markdown',
  'application/xhtml+xml': 'text/html',
  'application/x-pdf': 'application/pdf',
  'application/acrobat': 'application/pdf',
  'application/x-epub+zip': 'application/epub+zip',
  'application/csv': 'text/csv',
  'text/x-csv': 'text/csv',
  'text/comma-separated-values': 'text/csv',
  'text/json': 'application/json',
  'application/jsonl': 'application/x-ndjson',
  'application/ndjson': 'application/x-ndjson',
  'application/x-jsonlines': 'application/x-ndjson',
  'application/x-mbox': 'application/mbox',
};

/** Clients declare UNKNOWN for a type that they do not know. On Windows, some declare EXCEL for files of Excel. */
const UNKNOWN = 'application/octet-stream';
const EXCEL = 'application/vnd.ms-excel';

/** The media types that can be imported. */
export const IMPORT_MEDIA_TYPES: readonly string[] = Object.keys(FORMATS);

const BY_EXTENSION = new Map(
  Object.entries(FORMATS).flatMap(([mediaType, extensions]) =>
    extensions.map((extension) => [extension, mediaType] as const),
  ),
);

/**
 * The media type as which a file is imported: the declared one, or that of the extension. Null if it cannot be
 * imported. Does not check the content.
 * @param isText whether the content was sent as text. Text without a type and an extension is plain text
 */
export function importMediaType(
  filename: string,
  declared: string | undefined,
  isText: boolean,
): string | null {
  const type = declared?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const extension = /\.([^./\\]*)$/.exec(filename)?.[1]?.toLowerCase();
  if (type === EXCEL) return extension === 'csv' ? 'text/csv' : null;
  if (type !== '' && type !== UNKNOWN) {
    if (Object.hasOwn(ALIASES, type)) return ALIASES[type] ?? null;
    return Object.hasOwn(FORMATS, type) ? type : null;
  }
  if (extension === undefined) return isText ? 'text/plain' : null;
  return BY_EXTENSION.get(extension) ?? null;
}
