import { signedInToTeam } from '../../client/signed-in.ts';
import { findOriginal, saveOriginal, targetPath } from '../../download/save-original.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { invocationFolder } from '../../terminal/invocation-folder.ts';

const options = {
  to: {
    type: 'string',
    value: 'path',
    completes: 'file',
    help: 'file or folder to save it in; default: this folder',
  },
  force: { type: 'boolean', help: 'replace a file that exists' },
  ...TEAM_OPTIONS,
} as const;

export const download: Command<typeof options> = {
  section: 'memory',
  summary: 'save the file that a source was imported from',
  about: `Saves the original of a source, under the name that it was imported with. Folders and characters that a system
forbids are left out of the name. The SHA-256 of the file is checked.`,
  options,
  operand: { name: 'source' },
  notes: CREDENTIAL_NOTE,
  async run(values, sourceId) {
    const { service } = await signedInToTeam(values);
    const original = await findOriginal(service, sourceId);
    const path = await targetPath(invocationFolder(), values.to, original.filename);
    await saveOriginal(service, original, path, { replaces: values.force === true });
    const { mediaType, bytes, sha256 } = original;
    return { text: `Saved ${oneLine(path)}.`, data: { path, mediaType, bytes, sha256 } };
  },
};
