/** The file formats that can be imported so far: media type and the extensions that stand for it. */
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

/** Clients that do not know a type declare the first; some on Windows the second for what Excel opens. */
const UNKNOWN = 'application/octet-stream';
const EXCEL = 'application/vnd.ms-excel';

/** The types by which files are read. */
export const IMPORT_MEDIA_TYPES: readonly string[] = Object.keys(FORMATS);

const BY_EXTENSION = new Map(
  Object.entries(FORMATS).flatMap(([mediaType, extensions]) =>
    extensions.map((extension) => [extension, mediaType] as const),
  ),
);

/**
 * The media type by which a file will be read: the declared one, else that of the extension. Null: not one that
 * can be imported. The content is not looked at here.
 * @param isText whether the content came as text, which without a type and an extension is plain text
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
