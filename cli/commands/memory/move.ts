import { ChangedSource, DecisionResponse } from '../../../shared/schemas/library.ts';
import { findClient } from '../../client/find-team.ts';
import { readLayerNames } from '../../client/layers.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { moveDatabase } from '../move-database.ts';

/** The word for the Team layer. */
const TEAM_LAYER = 'team';
/** A source of many chunks takes about as long as storing it. */
const TIMEOUT_MS = 300_000;

const options = {
  to: {
    type: 'string',
    value: 'client',
    completes: 'client',
    examples: [TEAM_LAYER],
    help: 'client, by name or id, or team: the Team layer; with --from: the empty database. Required',
  },
  from: {
    type: 'string',
    value: 'database',
    help: 'move a whole database: its postgres:// address, or the folder of an embedded one',
  },
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
  summary: 'move a source or a memory to a client, or to the Team layer; with --from: a whole database',
  about: `Moves a source to the layer of a client, or to the Team layer, with everything that belongs to it. You need Full
access, or you must have stored the source yourself and be able to write in both layers. With --memory, moves a memory
with its source, which requires Full access.

With --from, moves a whole database of the service to an empty one: from an embedded database to PostgreSQL, back, or
between two of a kind. That works in the folder of the service only. Stop the service first. An address, or the folder of
an embedded database (MEMORY_DATA_DIR), names a database. Each table is verified by its count and the SHA-256 of its rows.
--from stays as it is. If the command was interrupted, run it again: it goes on. Until it has completed, no service starts
on --to.`,
  options,
  operand: { name: 'id', isOptional: true },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const { to, from, memory } = values;
    if (from !== undefined) return moveDatabase({ ...values, from }, operand);
    if (operand === '') throw new CommandError('name an id (see --help)');
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
