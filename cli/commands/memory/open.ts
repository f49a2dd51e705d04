import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedInToTeam } from '../../client/signed-in.ts';
import { openFile } from '../../download/open-file.ts';
import { isOpenable, OPENABLE_NAMES } from '../../download/openable.ts';
import { findOriginal, saveOriginal } from '../../download/save-original.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';

const options = { ...TEAM_OPTIONS } as const;

export const open: Command<typeof options> = {
  section: 'memory',
  summary: 'open the file that a source was imported from',
  about: `Saves the original of a source in a temporary folder that only you can read, and opens it with the program of
your desktop. Only these formats are opened: ${OPENABLE_NAMES}. Others can contain macros, scripts or links that are
followed, so they are only saved, and so is each file if there is no desktop.`,
  options,
  operand: { name: 'source' },
  notes: CREDENTIAL_NOTE,
  async run(values, sourceId) {
    const { service } = await signedInToTeam(values);
    const original = await findOriginal(service, sourceId);
    // Its mode lets no other user in.
    const path = join(await mkdtemp(join(tmpdir(), 'team-memory-')), original.filename);
    await saveOriginal(service, original, path, { replaces: false });
    const isSafe = isOpenable(original.filename);
    const isOpened = isSafe && (await openFile(path));
    const { mediaType, bytes, sha256 } = original;
    return {
      text: `${outcomeText(isSafe, isOpened)} ${oneLine(path)}`,
      data: { path, opened: isOpened, mediaType, bytes, sha256 },
    };
  },
};

function outcomeText(isSafe: boolean, isOpened: boolean): string {
  if (isOpened) return 'Opened';
  return isSafe
    ? 'Saved, because there is no desktop to open it:'
    : 'Saved and not opened, because files of this type can contain macros or scripts:';
}
