import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../shared/ids.ts';
import type { SourceBatch } from '../../shared/schemas/sources.ts';
import { parseRecord, readPrivateFile, removeFile, writePrivateFile } from '../client/private-file.ts';
import { type Profile, profileFolder } from '../client/profiles.ts';

/** What can be taken back: a change, or the undo of one. */
export type Direction = 'undo' | 'redo';

/** Where sources were changed. What changed there can be taken back only there. */
export interface Place {
  profile: Profile;
  url: string;
  teamId: string;
}

/** One command that can be taken back. */
export interface Level {
  at: string;
  url: string;
  teamId: string;
  /** What it did, such as `archived`. */
  what: string;
  /** Bodies of `POST /v1/memory/sources/batch`, to be sent in this order. */
  bodies: SourceBatch[];
  /**
   * `updatedAt` of sources before the command, by their ids, where an older level expects it. The older level can be taken
   * back after this one: see `rebase`.
   */
  before: Record<string, string>;
}

/** A level with the file that has it. */
export interface StoredLevel extends Level {
  path: string;
}

/** The most commands that can be taken back. The oldest one is forgotten. */
const MAX_LEVELS = 20;

const WHAT = 'what can be taken back';

const folderOf = (profile: Profile, direction: Direction) => join(profileFolder(profile), direction);

/** The files of a folder, the newest first: their names begin with a UUIDv7. */
async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json'));
  return files
    .sort()
    .reverse()
    .map((name) => join(folder, name));
}

async function readLevel(path: string): Promise<StoredLevel | null> {
  const text = await readPrivateFile(path, WHAT);
  const { at, url, teamId, what, bodies, before } = (text === null ? null : parseRecord(text)) ?? {};
  const isLevel =
    [at, url, teamId, what].every((value) => typeof value === 'string') &&
    Array.isArray(bodies) &&
    typeof before === 'object';
  return isLevel ? ({ path, at, url, teamId, what, bodies, before } as StoredLevel) : null;
}

/** Reads what can be taken back at a place, the newest first. A damaged file is left out. */
export async function readLevels(place: Place, direction: Direction): Promise<StoredLevel[]> {
  const files = await listFiles(folderOf(place.profile, direction));
  const levels = await Promise.all(files.map(readLevel));
  return levels.filter(
    (level) => level !== null && level.url === place.url && level.teamId === place.teamId,
  ) as StoredLevel[];
}

/** Forgets everything that can be taken back in a direction. */
export async function forgetLevels({ profile }: Place, direction: Direction): Promise<void> {
  for (const path of await listFiles(folderOf(profile, direction))) await removeFile(path);
}

/** Saves a level in its file; without bodies, removes the file. */
export async function saveLevel({ path, ...level }: StoredLevel): Promise<void> {
  await (level.bodies.length === 0 ? removeFile(path) : writePrivateFile(path, level, WHAT));
}

/** The times that the bodies of a level expect, by the ids of the sources. */
export function expectedTimes({ bodies }: Pick<Level, 'bodies'>): Record<string, string> {
  return Object.assign({}, ...bodies.map(({ ifUpdatedAt }) => ifUpdatedAt));
}

/**
 * After a level was taken back, its sources are as they were before it, but have a new `updatedAt`. Lets older levels, which
 * expect the one before, expect the new one. A source that someone else changed in between has none before, and is left.
 * @param undone the bodies that take back what was sent now
 */
export async function rebase(
  older: readonly StoredLevel[],
  { before }: Level,
  undone: readonly SourceBatch[],
): Promise<void> {
  const now = expectedTimes({ bodies: [...undone] });
  for (const level of older) {
    let isChanged = false;
    for (const { ids, ifUpdatedAt = {} } of level.bodies) {
      for (const id of ids) {
        const time = now[id];
        if (time === undefined || before[id] === undefined || before[id] !== ifUpdatedAt[id]) continue;
        ifUpdatedAt[id] = time;
        isChanged = true;
      }
    }
    if (isChanged) await saveLevel(level);
  }
}

/** A level that grows while a command runs. */
export interface GrowingLevel {
  /**
   * Adds bodies and saves the level, so that a process that is killed after this loses nothing.
   * @param sent the body that they take back
   */
  add: (bodies: readonly SourceBatch[], sent: SourceBatch) => Promise<void>;
  /** Whether there is anything to take back. */
  readonly isEmpty: boolean;
}

/** Begins a level. Its file is written with the first bodies. */
export function beginLevel(
  { profile, url, teamId }: Place,
  direction: Direction,
  what: string,
): GrowingLevel {
  const folder = folderOf(profile, direction);
  const at = new Date().toISOString();
  const path = join(folder, `${newId()}.json`);
  const level: StoredLevel = { path, at, url, teamId, what, bodies: [], before: {} };
  return {
    add: async (bodies, { ifUpdatedAt = {} }) => {
      if (bodies.length === 0) return;
      const isFirst = level.bodies.length === 0;
      level.bodies.push(...bodies);
      for (const id of bodies.flatMap(({ ids }) => ids)) {
        if (ifUpdatedAt[id] !== undefined) level.before[id] = ifUpdatedAt[id];
      }
      await saveLevel(level);
      if (isFirst) for (const path of (await listFiles(folder)).slice(MAX_LEVELS)) await removeFile(path);
    },
    get isEmpty() {
      return level.bodies.length === 0;
    },
  };
}
