/** The file formats that can be imported so far: media type and the extensions that stand for it. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'text/plain': ['txt', 'text', 'log'],
  'text/markdown': ['md', 'markdown'],
};

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
  // Clients that do not know a type declare this one; it says nothing, so the extension decides.
  if (type !== '' && type !== 'application/octet-stream') return Object.hasOwn(FORMATS, type) ? type : null;
  const extension = /\.([^./\\]*)$/.exec(filename)?.[1]?.toLowerCase();
  if (extension === undefined) return isText ? 'text/plain' : null;
  return BY_EXTENSION.get(extension) ?? null;
}
