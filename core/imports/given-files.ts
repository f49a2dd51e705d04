import type { NewImport } from '../../db/queries/memory/imports.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { decodeBase64 } from '../../shared/formats/base64.ts';
import { importMediaType } from '../../shared/formats/media-types.ts';
import { newId } from '../../shared/ids.ts';
import type { ImportRequest } from '../../shared/schemas/imports.ts';

type Item = ImportRequest['items'][number];

/** Refuses the whole request for an item of a type that cannot be imported; the form is looked at later. */
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
        `/items/${index}: cannot be imported: its type is not known`,
      );
    }
  }
}

async function itemContent(item: Item, index: number): Promise<Buffer> {
  if ((item.text === undefined) === (item.contentBase64 === undefined)) {
    throw invalidField(`/items/${index}`, 'needs either text or contentBase64');
  }
  if (item.text !== undefined) return Buffer.from(item.text, 'utf8');
  const content = await decodeBase64(item.contentBase64 ?? '');
  if (content === null) throw invalidField(`/items/${index}/contentBase64`, 'is not base64');
  return content;
}

/** @param index its place in the request, for refusals */
async function givenFile(item: Item, index: number): Promise<Omit<NewImport, 'layer'>> {
  const mediaType = importMediaType(item.filename, item.mediaType, item.text !== undefined);
  if (mediaType === null) throw new ServiceError('unsupported_media_type');
  return {
    id: newId(),
    filename: item.filename,
    title: item.title ?? item.filename,
    mediaType,
    content: await itemContent(item, index),
  };
}

/**
 * The files of a request, as they are to be stored. The event loop turns while they are decoded.
 * @throws ServiceError `invalid_request`, `unsupported_media_type`
 */
export async function givenFiles(items: readonly Item[]): Promise<Omit<NewImport, 'layer'>[]> {
  const files: Omit<NewImport, 'layer'>[] = [];
  for (const [index, item] of items.entries()) files.push(await givenFile(item, index));
  return files;
}
