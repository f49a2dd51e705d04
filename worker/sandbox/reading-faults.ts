import { FileFault } from '../extract/extraction.ts';

/** The process ended while it read a file, or can no longer be trusted. Earlier files can be a part of the cause. */
export class EndedError extends FileFault {}

/** Faults of files whose process was ended. */
export const FAULTS = {
  time: (seconds: number) =>
    new FileFault(
      'too_slow',
      `Reading the file took longer than ${seconds} seconds, the most for a file of its size: divide it, or save it in a simpler form.`,
    ),
  memory: (megabytes: number) =>
    new EndedError(
      'too_much_memory',
      `Reading the file took more memory than there is for it (${megabytes} MiB): divide it, or save it in a simpler form.`,
    ),
  crash: () =>
    new EndedError(
      'unreadable',
      'The file cannot be read: it is damaged, or uses a part of its format that is not known here.',
    ),
};
