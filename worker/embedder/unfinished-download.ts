import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';

/** The part of a file that arrived before its download was interrupted. */
export interface UnfinishedDownload {
  file: string;
  /** SHA-256 of the whole file, 64 hexadecimal digits. */
  sha256: string;
  bytes: number;
}

/**
 * Finds what an interrupted download left for the next one. Its name has the hash of the whole file, so that it is never
 * continued with another version of the file.
 * @param target the path of the whole file
 */
export async function findUnfinished(target: string): Promise<UnfinishedDownload | null> {
  const [first] = await listUnfinished(target);
  if (first === undefined) return null;
  const found = await stat(first.file).catch(() => null);
  return found === null ? null : { ...first, bytes: found.size };
}

/** Gives an unfinished download to one process, as the file `part`. Null if there is none, or another process has it. */
export async function claimUnfinished(target: string, part: string): Promise<UnfinishedDownload | null> {
  const unfinished = await findUnfinished(target);
  if (unfinished === null) return null;
  try {
    await rename(unfinished.file, part);
    // It can be old. Files in progress that are old count as left by a process that was killed.
    await utimes(part, new Date(), new Date());
    return { ...unfinished, file: part };
  } catch {
    return null;
  }
}

/** Keeps `part` for a later download of the same file. */
export async function keepUnfinished(part: string, target: string, sha256: string): Promise<void> {
  await rename(part, `${target}.${sha256}.unfinished`);
}

/** Removes what is no longer needed, because the file is complete. */
export async function removeUnfinished(target: string): Promise<void> {
  for (const { file } of await listUnfinished(target)) await rm(file, { force: true });
}

async function listUnfinished(target: string): Promise<Omit<UnfinishedDownload, 'bytes'>[]> {
  const folder = path.dirname(target);
  const beginning = `${path.basename(target)}.`;
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => {
    const [, sha256] = /^([0-9a-f]{64})\.unfinished$/.exec(name.slice(beginning.length)) ?? [];
    return sha256 === undefined || !name.startsWith(beginning)
      ? []
      : [{ file: path.join(folder, name), sha256 }];
  });
}
