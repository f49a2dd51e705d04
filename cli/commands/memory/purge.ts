import { NoBody } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { CommandError } from '../../terminal/command-error.ts';

const options = {
  yes: { type: 'boolean', help: 'required, because a purge cannot be undone' },
  ...TEAM_OPTIONS,
} as const;

const purgeOf = (record: 'source' | 'memory', route: string, about: string): Command<typeof options> => ({
  section: 'memory',
  summary: `delete a ${record} for good`,
  about,
  options,
  operand: { name: 'id' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    if (values.yes !== true) throw new CommandError('--yes: required, because a purge cannot be undone');
    const { service } = await signedInToTeam(values);
    await service.post(`${route}/${encodeURIComponent(operand)}/purge`, NoBody);
    return { text: `Purged the ${record} ${operand}.`, data: { id: operand } };
  },
});

export const purgeSource = purgeOf(
  'source',
  '/v1/memory/sources',
  `Deletes a source for good, active or archived: its text, and the imports that it was made of with their files. Only the
audit keeps its id. It requires Full access. The source of a memory is purged with the memory.`,
);

export const purgeMemory = purgeOf(
  'memory',
  '/v1/memory/memories',
  `Deletes a memory for good, in any state: its versions, its source, and the captures that only this memory was made of.
Only the audit keeps its id. It requires Full access.`,
);
