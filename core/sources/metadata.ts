import { invalidField } from '../../shared/errors.ts';
import { jsonParts } from '../../shared/formats/json-parts.ts';

const MAX_METADATA_BYTES = 16 * 1024;

/**
 * Refuses metadata that is too large.
 * @param path JSON pointer of the metadata
 * @throws ServiceError `invalid_request` for metadata over 16 KiB as JSON
 */
export function assertMetadata(metadata: Record<string, unknown> | undefined, path = '/metadata'): void {
  if (metadata === undefined) return;
  let bytes = 0;
  for (const part of jsonParts(metadata)) {
    bytes += Buffer.byteLength(part);
    // Without counting the rest: it can be megabytes.
    if (bytes > MAX_METADATA_BYTES) throw invalidField(path, 'must be at most 16 KiB as JSON');
  }
}
