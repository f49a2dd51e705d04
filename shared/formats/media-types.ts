import { IMPORT_FORMATS, type ImportMediaType } from './import-formats.ts';

const FORMATS = Object.entries(IMPORT_FORMATS) as [
  ImportMediaType,
  (typeof IMPORT_FORMATS)[ImportMediaType],
][];
const BY_EXTENSION = new Map<string, ImportMediaType>(
  FORMATS.flatMap(([type, { extensions }]) => extensions.map((extension) => [extension, type] as const)),
);
const BY_DECLARED_TYPE = new Map<string, ImportMediaType>(
  FORMATS.flatMap(([type, { aliases }]) => [type, ...aliases].map((name) => [name, type] as const)),
);

/** The extensions of all formats, in lower case, without the dot. */
export const IMPORT_EXTENSIONS: readonly string[] = [...BY_EXTENSION.keys()];

/**
 * UNKNOWN is declared for a type that the program does not know. Where Excel is installed, Windows declares EXCEL for CSV
 * files too, and some programs declare it for all workbooks. Workbooks of the older Excel cannot be imported.
 */
const UNKNOWN = 'application/octet-stream';
const EXCEL = 'application/vnd.ms-excel';
const EXCEL_EXTENSIONS: ReadonlySet<string> = new Set(['csv', 'xlsx']);

/**
 * The media type as which a file is imported: the declared one, or that of the extension. Null if it cannot be
 * imported. Does not check the content.
 * @param isText whether the content was sent as text. Text without a type and an extension is plain text
 */
export function importMediaType(
  filename: string,
  declared: string | undefined,
  isText: boolean,
): ImportMediaType | null {
  const type = declared?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const extension = /\.([^./\\]*)$/.exec(filename)?.[1]?.toLowerCase();
  if (type === EXCEL)
    return EXCEL_EXTENSIONS.has(extension ?? '') ? (BY_EXTENSION.get(extension ?? '') ?? null) : null;
  // The extension does not count here: a program that declares a type knows the content, and a name can be anything.
  if (type !== '' && type !== UNKNOWN) return BY_DECLARED_TYPE.get(type) ?? null;
  if (extension === undefined) return isText ? 'text/plain' : null;
  return BY_EXTENSION.get(extension) ?? null;
}
