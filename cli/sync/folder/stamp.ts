import type { FileStamp } from '../../import/file-stamp.ts';
import type { BaseFile } from './state.ts';

/**
 * If a file is changed twice within the time resolution of its file system and keeps its size, the second change
 * cannot be detected. The resolution of FAT is two seconds. Files that were changed less than this before a pass are read
 * again in the next pass.
 */
const TIME_RESOLUTION_MS = 2000;

/**
 * Returns the stamp that stands for a content that was read, or null if the file must be read again.
 * @param stamp of the file before it was read
 * @param bytes of the content
 * @param now the time of the file system when the pass began. The clock of a file server can differ from that of this
 *   computer
 */
export function stampOfContent(stamp: FileStamp, bytes: number, now: number): FileStamp | null {
  const isSettled = Math.max(stamp.modified, stamp.changed) < now - TIME_RESOLUTION_MS;
  return isSettled && stamp.bytes === bytes ? stamp : null;
}

/** Whether a file has the stamp that was stored with its content. */
export function hasStamp(base: BaseFile, { bytes, modified, changed, inode }: FileStamp): boolean {
  return (
    base.bytes === bytes && base.modified === modified && base.changed === changed && base.inode === inode
  );
}
