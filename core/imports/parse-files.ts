import type { NewImport } from '../../db/queries/memory/imports.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { decodeBase64 } from '../../shared/formats/base64.ts';
import { IMPORT_FORMAT_NAMES } from '../../shared/formats/import-formats.ts';
import { importMediaType } from '../../shared/formats/media-types.ts';
import { parseTags } from '../../shared/formats/tags.ts';
import { assertFuture, parseExpiry, parseOptionalMoment } from '../../shared/formats/times.ts';
import { newId } from '../../shared/ids.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import { type ImportRequest, MAX_KEPT_REDACTIONS } from '../../shared/schemas/imports.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { type CheckedFields, redactFields } from '../redaction/redact-fields.ts';

type Item = ImportRequest['items'][number];

/**
 * Refuses a request with a file of a type that cannot be imported. Runs before the body is validated.
 * @throws ServiceError `unsupported_media_type`
 */
export function assertMediaTypes(body: unknown): void {
  const items = (body as { items?: unknown } | null | undefined)?.items;
  if (!Array.isArray(items)) return;
  for (const [index, item] of items.entries()) {
    const { filename, mediaType, text } = (item ?? {}) as Record<string, unknown>;
    if (typeof filename !== 'string') continue;
    const declared = typeof mediaType === 'string' ? mediaType : undefined;
    if (importMediaType(filename, declared, typeof text === 'string') === null) {
      throw new ServiceError(
        'unsupported_media_type',
        `/items/${index}: a file of this type cannot be imported; the formats are ${IMPORT_FORMAT_NAMES}`,
      );
    }
  }
}

async function parseContent(item: Item, index: number): Promise<Buffer> {
  if ((item.text === undefined) === (item.contentBase64 === undefined)) {
    throw invalidField(`/items/${index}`, 'needs either text or contentBase64');
  }
  if (item.text !== undefined) return Buffer.from(item.text, 'utf8');
  const content = await decodeBase64(item.contentBase64 ?? '');
  if (content === null) throw invalidField(`/items/${index}/contentBase64`, 'is not base64');
  return content;
}

type NamedFields = Pick<Item, 'filename' | 'title' | 'tags'>;

/** Files of a request, with what was found in their names and titles. Their texts are checked when they are read. */
export type CheckedFiles = CheckedFields<Omit<NewImport, 'layerId'>[]>;

/**
 * @param index the position in the request, for messages
 * @param names what is stored of the filename, the title and the tags
 */
async function parseFile(item: Item, index: number, names: NamedFields): Promise<Omit<NewImport, 'layerId'>> {
  const mediaType = importMediaType(item.filename, item.mediaType, item.text !== undefined);
  if (mediaType === null) throw new ServiceError('unsupported_media_type');
  return {
    id: newId(),
    filename: names.filename,
    title: names.title ?? names.filename,
    mediaType,
    content: await parseContent(item, index),
    tags: parseTags(names.tags ?? []),
    occurredAt: parseOptionalMoment(item.occurredAt, `/items/${index}/occurredAt`) ?? null,
    expiresAt: parseExpiry(item.expiresAt, `/items/${index}/expiresAt`) ?? null,
  };
}

/** The redactions of one file, with the paths of its record: `/filename`. */
function ofItem(redactions: readonly Redaction[], index: number): Redaction[] {
  const root = `/items/${index}`;
  return redactions
    .filter(({ path }) => path.startsWith(`${root}/`))
    .slice(0, MAX_KEPT_REDACTIONS)
    .map((redaction) => ({ ...redaction, path: redaction.path.slice(root.length) }));
}

/**
 * Parses the files of a request, and checks their names, titles and tags for credentials. Decodes them in steps, so that
 * the event loop is not blocked.
 * @throws ServiceError `invalid_request`, `unsupported_media_type`
 */
export async function parseFiles(mode: RedactionMode, items: readonly Item[]): Promise<CheckedFiles> {
  // By what was given: a mask can be longer than its credential.
  for (const [index, { tags = [] }] of items.entries()) parseTags(tags, `/items/${index}/tags`);
  const named = items.map(
    ({ filename, title, tags }): NamedFields => ({
      filename,
      ...(title !== undefined && { title }),
      ...(tags !== undefined && { tags }),
    }),
  );
  const { fields, ...checked } = await redactFields(mode, { items: named });
  const files: Omit<NewImport, 'layerId'>[] = [];
  for (const [index, item] of items.entries()) {
    const file = await parseFile(item, index, fields.items[index] ?? item);
    files.push({ ...file, redactions: ofItem(checked.redactions, index) });
  }
  return { ...checked, fields: files };
}

/**
 * Refuses files whose source would be expired at once.
 * @throws ServiceError `invalid_request`
 */
export function assertFutureFiles(files: readonly Pick<NewImport, 'expiresAt'>[]): void {
  for (const [index, { expiresAt }] of files.entries()) assertFuture(expiresAt, `/items/${index}/expiresAt`);
}
