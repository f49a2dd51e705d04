import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { shownSize } from './shown-size.ts';

/** What a model needs of the machine, and what the machine has, in bytes. */
export interface ModelNeeds {
  /** What is still to be downloaded. */
  disk: number;
  freeDisk: number;
  /** The most memory of the process that loads and runs the model. */
  memory: number;
  /** The most memory that its process can have. Null: the model is not loaded here. */
  memoryLimit: number | null;
}

/*
 * Measured with random weights in int8: files of 107, 183, 335 and 560 MB took 338, 463, 716 and 1,182 MB while they
 * were loaded, and one of 1 MB took 181 MB. Long texts add up to 100 MB.
 */
const PROCESS_BYTES = 280_000_000;
const BYTES_PER_FILE_BYTE = 1.8;
/** With less than this share of the estimate, the model is refused before it is downloaded. */
const CLEARLY_TOO_SMALL = 0.8;

/** A process that uses more than this share of its memory limit is restarted between two texts, before it is killed. */
export const FULL_SHARE = 0.9;

/** Estimates the most memory of a process that loads and runs a model, in bytes. */
export function memoryToRun(onnxBytes: number): number {
  return PROCESS_BYTES + Math.round(BYTES_PER_FILE_BYTE * onnxBytes);
}

/** The most memory that a process can have on this machine, in bytes. */
export function memoryLimit(megabytes: number): number {
  return Math.min(megabytes * 2 ** 20, machineMemory());
}

/** The memory of the machine or of the container. */
function machineMemory(): number {
  const constrained = process.constrainedMemory();
  return Math.min(totalmem(), constrained > 0 ? constrained : Number.POSITIVE_INFINITY);
}

/** The free space on the disk of a folder that exists, in bytes. */
export async function freeDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** What a model needs, in one line. */
export function describeNeeds({ disk, freeDisk: free, memory, memoryLimit: limit }: ModelNeeds): string {
  const needed = `${shownSize(disk)} on a disk with ${shownSize(free)} free`;
  if (limit === null) return needed;
  return `${needed}, and about ${shownSize(memory)} of the ${shownSize(limit)} of memory that its process can have`;
}

/** Returns what is clearly too small and what to do, in one line. Null: nothing is. */
export function findShortage({
  disk,
  freeDisk: free,
  memory,
  memoryLimit: limit,
}: ModelNeeds): string | null {
  if (free < disk) {
    return `it needs ${shownSize(disk)}, and the disk has ${shownSize(free)} free: free ${shownSize(disk - free)} more, or set MEMORY_MODEL_DIR to a folder on another disk`;
  }
  if (limit === null || limit * FULL_SHARE >= memory * CLEARLY_TOO_SMALL) return null;
  const least = memory / FULL_SHARE;
  const lacks = `it needs about ${shownSize(memory)} of memory, and can have ${shownSize(limit)}`;
  const advice =
    machineMemory() > least
      ? `set MEMORY_EMBEDDING_MEGABYTES to ${Math.ceil(least / 2 ** 20)}`
      : `use a machine with more than ${shownSize(least)}, or a smaller MEMORY_EMBEDDING_MODEL`;
  return `${lacks}: ${advice}`;
}
