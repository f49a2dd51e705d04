import { readOnce } from '../../db/driver/database.ts';
import { findOriginal as find, type OriginalFile } from '../../db/queries/library/originals.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { countOpened } from '../feedback/count-uses.ts';

/** Bytes that are read at once: what a download needs in memory. An object of a bucket is read in such blocks too. */
const SLICE_BYTES = 1024 * 1024;

/** Some bytes of a file, the last one included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Finds the original of a source.
 * @throws ServiceError `not_found` if it has none, is archived, or is out of reach
 */
export async function findOriginal(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  sourceId: string,
): Promise<OriginalFile> {
  const original = await readOnce(database, scope, (tx) => find(tx, sourceId));
  if (original === null) throw new ServiceError('not_found');
  return original;
}

/**
 * Reads bytes of an original, slice by slice. Each slice is a transaction of its own, so that a slow reader keeps no
 * connection, and checks again that the scope can read the content: after a purge, the next slice fails. Counts that the
 * source was opened, if the range begins with the file.
 * @returns the slices. The first one has been read
 * @throws ServiceError `not_found` if the content was deleted in the meantime
 */
export async function readOriginal(
  { blobs, database, logger }: Pick<Dependencies, 'blobs' | 'database' | 'logger'>,
  scope: TeamScope,
  sourceId: string,
  sha256: string,
  { start, end }: ByteRange,
): Promise<AsyncGenerator<Buffer, void>> {
  const readSlice = async (at: number) => {
    const slice = await blobs.readPart(scope, sha256, {
      start: at,
      // Up to the end of a block, so that no block is read twice.
      length: Math.min(SLICE_BYTES - (at % SLICE_BYTES), end + 1 - at),
    });
    if (slice === null) throw new ServiceError('not_found');
    return slice;
  };
  const first = await readSlice(start);
  if (start === 0) countOpened(database, scope.teamId, sourceId);
  return (async function* slices() {
    yield first;
    for (let at = start + first.length; at <= end; ) {
      // The answer has begun, so no status can tell the caller: the connection ends before all bytes are sent.
      const slice = await readSlice(at).catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'not_found')
          logger.info({ sha256 }, 'a download ended early: the content can no longer be read');
        else logger.error({ err: error, sha256 }, 'a download ended early');
        throw error;
      });
      yield slice;
      at += slice.length;
    }
  })();
}
