import type { BigIntStats } from 'node:fs';

/** What a file system tells of a file without reading it. A change of the content changes at least one of these facts. */
export interface FileStamp {
  bytes: number;
  /**
   * When the content was last changed, in ms since 1970 with fractions. A program can set it: `touch -r` does, and so does a
   * program that copies or unpacks files.
   */
  modified: number;
  /** When the content, the name or a time was last changed (ctime). A program cannot set it. */
  changed: number;
  /** The number of the file. A file that takes the place of another one has another number. */
  inode: string;
}

const NS_PER_SECOND = 1_000_000_000n;

/** Nanoseconds as the milliseconds that `Stats` has, with the same rounding. */
function milliseconds(ns: bigint): number {
  return Number(ns / NS_PER_SECOND) * 1000 + Number(ns % NS_PER_SECOND) / 1_000_000;
}

/** The stamp of a file. The numbers of files of some file systems are exact only as `bigint`. */
export function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): FileStamp {
  return {
    bytes: Number(size),
    modified: milliseconds(mtimeNs),
    changed: milliseconds(ctimeNs),
    inode: String(ino),
  };
}
