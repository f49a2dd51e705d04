import { invalidField } from '../../../shared/errors.ts';

const MAX_METADATA_BYTES = 16 * 1024;

/** @throws ServiceError `invalid_request` for metadata over 16 KiB as JSON */
export function assertMetadata(metadata: Record<string, unknown> | undefined): void {
  if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw invalidField('/metadata', 'must be at most 16 KiB as JSON');
  }
}
