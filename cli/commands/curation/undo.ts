import { Type } from 'typebox';
import { Memory } from '../../../shared/schemas/library.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { parseWhole } from '../../program/whole-number.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import type { Result } from '../../terminal/output.ts';

const Decided = Type.Object({ memory: Memory });

/** The common parts of the commands that undo a decision on one memory. */
const COMMON = { section: 'memory', operand: { name: 'memory' }, notes: CREDENTIAL_NOTE } as const;

async function decide(
  values: Parameters<typeof signedInToTeam>[0],
  decision: { action: string; memoryId: string; version?: number },
): Promise<Result> {
  const { service } = await signedInToTeam(values);
  const { memory } = await service.post('/v1/memory/memories', Decided, decision);
  const text = `${oneLine(memory.title)} (${memory.id}) is ${memory.state === 'review' ? 'in review' : memory.state}.`;
  return { text, data: { memory } };
}

export const reopen: Command<typeof TEAM_OPTIONS> = {
  ...COMMON,
  summary: 'put a discarded memory back into review',
  about:
    'Puts a discarded memory back into review, up to 30 days after it was discarded. Requires Full access.',
  options: TEAM_OPTIONS,
  run: (values, memoryId) => decide(values, { action: 'reopen', memoryId }),
};

export const unpublish: Command<typeof TEAM_OPTIONS> = {
  ...COMMON,
  summary: 'put a published memory back into review',
  about: `Puts a published memory back into review: searches no longer find it. The memory that it superseded is published
again if it is still archived. Requires Full access.`,
  options: TEAM_OPTIONS,
  run: (values, memoryId) => decide(values, { action: 'unpublish', memoryId }),
};

const restoreOptions = {
  version: { type: 'string', value: 'n', help: 'the version to restore, as versions shows it' },
  ...TEAM_OPTIONS,
} as const;

export const restore: Command<typeof restoreOptions> = {
  ...COMMON,
  summary: 'publish an earlier text of a memory again',
  about: `Publishes an earlier text of a memory as a new version, also if the memory is archived. Requires Full access.`,
  options: restoreOptions,
  async run(values, memoryId) {
    const version = parseWhole('version', values.version, 1, Number.MAX_SAFE_INTEGER);
    if (version === undefined) throw new CommandError('name the version to restore with --version');
    return decide(values, { action: 'restore', memoryId, version });
  },
};
