import { ChangedSource, DecisionResponse } from '../../../shared/schemas/library.ts';
import { findClient } from '../../client/find-team.ts';
import { readLayerNames } from '../../client/layers.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';

/** The word for the Team layer. */
const TEAM_LAYER = 'team';
/** A source of many chunks takes about as long as storing it. */
const TIMEOUT_MS = 300_000;

const options = {
  to: { type: 'string', value: 'client', help: 'client, by name or id, or team: the Team layer. Required' },
  memory: { type: 'boolean', help: 'the id is that of a memory' },
  ...TEAM_OPTIONS,
} as const;

async function moveSource(service: ServiceClient, id: string, clientId: string | null) {
  const path = `/v1/memory/sources/${encodeURIComponent(id)}`;
  return service.patch(path, ChangedSource, { clientId }, { timeoutMs: TIMEOUT_MS });
}

async function moveMemory(service: ServiceClient, memoryId: string, clientId: string | null) {
  const decision = { action: 'move', memoryId, clientId };
  const { memory } = await service.post('/v1/memory/memories', DecisionResponse, decision);
  if (memory === undefined) throw new CommandError('the service did not return the memory');
  return memory;
}

export const move: Command<typeof options> = {
  section: 'memory',
  summary: 'move a source or a memory to a client, or to the Team layer',
  about: `Moves a source to the layer of a client, or to the Team layer, with everything that belongs to it. You need Full
access, or you must have stored the source yourself and be able to write in both layers. With --memory, moves a memory
with its source, which requires Full access.`,
  options,
  operand: { name: 'id' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const { to, memory } = values;
    if (to === undefined) throw new CommandError('--to: name a client, or team for the Team layer');
    const { service } = await signedInToTeam(values);
    const clientId = to === TEAM_LAYER ? null : await findClient(service, to, '--to');
    const move = memory === true ? moveMemory : moveSource;
    const data = await move(service, operand, clientId);
    const nameLayer = await readLayerNames(service, [data.clientId]);
    const layer = data.clientId === null ? 'the Team layer' : oneLine(nameLayer(data.clientId));
    return { text: `${oneLine(data.title)} (${data.id}) is in ${layer} now.`, data };
  },
};
