import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseRecord } from '../../client/private-file.ts';
import { CommandError } from '../../terminal/command-error.ts';
import type { HookGroups } from './manifests.ts';

/** A hook of this program: how its command ends, before its options. */
const OWN_HOOK = / hook (?:session-start|prompt|turn-end|session-end) --agent (?:claude-code|codex)(?: |$)/;

/** A file of settings with hooks. Everything else in it is kept. */
type Settings = Record<string, unknown>;

const isRecord = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isOwn(hook: unknown): hook is { command: string } {
  return isRecord(hook) && typeof hook['command'] === 'string' && OWN_HOOK.test(hook['command']);
}

/** A group without the hooks of this program; null if it had no others. */
function withoutOwn(group: unknown): unknown {
  if (!isRecord(group) || !Array.isArray(group['hooks'])) return group;
  const others = group['hooks'].filter((hook) => !isOwn(hook));
  if (others.length === group['hooks'].length) return group;
  return others.length === 0 ? null : { ...group, hooks: others };
}

/**
 * Replaces the hooks of this program in settings.
 * @param added the new hooks; none to remove the old ones
 * @throws CommandError if the hooks have another form than the agents document
 */
export function replaceHooks(settings: Settings, added: HookGroups): Settings {
  const { hooks = {}, ...others } = settings;
  if (!isRecord(hooks) || !Object.values(hooks).every(Array.isArray))
    throw new CommandError('its hooks have another form than the agent documents');
  const kept = Object.entries(hooks as Record<string, unknown[]>).flatMap(([event, groups]) => {
    const left = groups.map(withoutOwn).filter((group) => group !== null);
    // An empty list that the user wrote stays.
    return left.length === 0 && groups.length > 0 ? [] : [[event, left] as const];
  });
  const merged: Record<string, unknown[]> = Object.fromEntries(kept);
  for (const [event, groups] of Object.entries(added)) merged[event] = [...(merged[event] ?? []), ...groups];
  return Object.keys(merged).length === 0 ? others : { ...others, hooks: merged };
}

/** The hooks of this program in a file of an agent. A file that cannot be read, or has another form, has none. */
export async function ownHooks(path: string): Promise<{ event: string; command: string }[]> {
  const { hooks } = parseRecord(await readFile(path, 'utf8').catch(() => '')) ?? {};
  const events = isRecord(hooks) ? Object.entries(hooks) : [];
  return events.flatMap(([event, groups]) =>
    (Array.isArray(groups) ? (groups as unknown[]) : [])
      .flatMap((group): unknown[] => (isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'] : []))
      .filter(isOwn)
      .map(({ command }) => ({ event, command })),
  );
}

/** The file that a path names. Settings are often symbolic links to files that are under version control. */
const targetOf = (path: string) => realpath(path).catch(() => path);

/**
 * Replaces the hooks of this program in a file of an agent. If it does not exist, it is made.
 * @returns whether the file was changed
 * @throws CommandError, and then the file is as it was
 */
export async function changeHooksFile(path: string, added: HookGroups): Promise<boolean> {
  try {
    const target = await targetOf(path);
    const text = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    const settings = text === null || text.trim() === '' ? {} : parseRecord(text);
    if (!isRecord(settings)) throw new CommandError('it is not a JSON object');
    const changed = replaceHooks(settings, added);
    if (JSON.stringify(changed) === JSON.stringify(settings)) return false;
    await replaceFile(target, `${JSON.stringify(changed, null, 2)}\n`);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(`${path} was not changed: ${code ?? message}`);
  }
}

/** Writes a file under another name and renames it, so that the agent never reads a part of it. Its mode is kept. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const mode = await stat(path).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      // The mode of a new file depends on the umask.
      await file.chmod(mode);
      // If the file were renamed before its text is on the disk, it could be empty after a power failure.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
