import { invalidField } from '../shared/errors.ts';

const MAX_METADATA_BYTES = 16 * 1024;

/**
 * @param path where it stands in the body
 * @throws ServiceError `invalid_request` for metadata over 16 KiB as JSON
 */
export function assertMetadata(metadata: Record<string, unknown> | undefined, path = '/metadata'): void {
  if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw invalidField(path, 'must be at most 16 KiB as JSON');
  }
}
