import { createHash, randomBytes } from 'node:crypto';
import { constants, copyFile, link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { safeFileName } from '../../shared/formats/file-name.ts';
import { SourceText } from '../../shared/schemas/library.ts';
import type { Original } from '../../shared/schemas/memory.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { CommandError } from '../terminal/command-error.ts';

/** The original of a source, and the name to save it under. */
export interface FoundOriginal extends Original {
  sourceId: string;
  filename: string;
}

/**
 * Finds the original of a source.
 * @throws CommandError if the source has no original
 */
export async function findOriginal(service: ServiceClient, sourceId: string): Promise<FoundOriginal> {
  const path = `/v1/memory/sources/${encodeURIComponent(sourceId)}`;
  const { id, title, metadata, original } = await service.get(`${path}?limit=1`, SourceText);
  if (original === null) {
    throw new CommandError(
      'this source has no original: it was not imported, was archived, or its file was not kept',
    );
  }
  const { filename } = metadata;
  return {
    ...original,
    sourceId: id,
    filename: safeFileName(typeof filename === 'string' ? filename : title),
  };
}

/**
 * The path to save a file at: `to`, or in it if it is a folder.
 * @param folder where relative paths start
 */
export async function targetPath(folder: string, to: string | undefined, filename: string): Promise<string> {
  if (to === undefined) return join(folder, filename);
  const path = resolve(folder, to);
  const isFolder =
    to.endsWith('/') || to.endsWith(sep) || (await stat(path).catch(() => null))?.isDirectory() === true;
  return isFolder ? join(path, filename) : path;
}

/**
 * Downloads an original. The file is written under another name and then renamed, so it is never incomplete.
 * @param options `replaces`: whether to replace a file of that name
 * @throws CommandError if the file exists, cannot be written, or is not what the service has
 */
export async function saveOriginal(
  service: ServiceClient,
  { sourceId, sha256, bytes }: FoundOriginal,
  target: string,
  { replaces }: { replaces: boolean },
): Promise<void> {
  // First, so that nothing is downloaded in vain. The file can still appear later.
  if (!replaces && (await stat(target).catch(() => null)) !== null) throw existsError(target);
  const temporary = join(dirname(target), `.${randomBytes(8).toString('hex')}.part`);
  try {
    const file = await open(temporary, 'wx').catch(fileError(target));
    try {
      const hash = createHash('sha256');
      let received = 0;
      await service.download(`/v1/memory/sources/${sourceId}/original`, async (piece) => {
        hash.update(piece);
        received += piece.length;
        await file.writeFile(piece).catch(fileError(target));
      });
      if (received !== bytes || hash.digest('hex') !== sha256) {
        throw new CommandError('the file that arrived is not the one that the service has: try again');
      }
      await file.sync().catch(fileError(target));
    } finally {
      await file.close();
    }
    await (replaces ? rename(temporary, target) : moveToNew(temporary, target)).catch(fileError(target));
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Gives a file a name that no file has. Renaming would replace one that has appeared since. */
async function moveToNew(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // The file system has no hard links.
    await copyFile(temporary, target, constants.COPYFILE_EXCL);
  }
}

const existsError = (target: string) =>
  new CommandError(`${target} exists: replace it with --force, or choose another place with --to`);

const fileError = (target: string) => (error: unknown) => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') throw existsError(target);
  if (typeof code === 'string') {
    throw new CommandError(`${basename(target)} cannot be saved in ${dirname(target)} (${code})`);
  }
  throw error;
};
