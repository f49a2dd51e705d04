import { execFile } from 'node:child_process';
import { mkdtemp, rm, rmdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ScenarioContext, Skipped } from '../scenario.ts';

const run = promisify(execFile);

/** A small file system that another program can fill. */
export interface SmallDisk {
  readonly folder: string;
  freeBytes(): Promise<number>;
  /** Writes a file of another program, so that only so many bytes remain free. */
  fill(leaveBytes: number): Promise<void>;
  /** Removes that file. */
  clear(): Promise<void>;
}

/**
 * Mounts a tmpfs of this size until the scenario is over.
 * @throws Skipped where that is not possible
 */
export async function mountSmallDisk(context: ScenarioContext, megabytes: number): Promise<SmallDisk> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Skipped('mounting a small tmpfs requires Linux and root');
  }
  const folder = await mkdtemp(join(tmpdir(), 'team-memory-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'team-memory', folder]);
  } catch (error) {
    await rmdir(folder);
    throw new Skipped(
      `a tmpfs cannot be mounted here: ${(error as Error).message.trim().split('\n').at(-1)}`,
    );
  }
  context.defer(async () => {
    await run('umount', ['--lazy', folder]);
    await rmdir(folder);
  });
  const filler = join(folder, 'filler');
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  return {
    folder,
    freeBytes,
    fill: async (leaveBytes) => {
      const bytes = Math.max(0, (await freeBytes()) - leaveBytes);
      await writeFile(filler, Buffer.alloc(bytes));
    },
    clear: () => rm(filler, { force: true }),
  };
}
