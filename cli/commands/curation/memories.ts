import { MEMORY_STATES } from '../../../shared/memory-states.ts';
import { Memory } from '../../../shared/schemas/library.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { readLayerNames } from '../../client/layers.ts';
import { parseLimit, readList } from '../../client/read-list.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { table } from '../../terminal/table.ts';
import { day } from '../../terminal/times.ts';

const DEFAULT_LIMIT = 50;

const options = {
  state: {
    type: 'string',
    value: 'state',
    choices: MEMORY_STATES,
    help: 'review, published, discarded or archived; default: those in review and the published ones',
  },
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'only memories of this client, by name or id',
  },
  containing: { type: 'string', value: 'text', help: 'only memories whose title or text contains this' },
  limit: { type: 'string', value: 'n', help: `the most memories to list, default ${DEFAULT_LIMIT}` },
  ...TEAM_OPTIONS,
} as const;

export const memories: Command<typeof options> = {
  section: 'memory',
  summary: 'list memories, also discarded and archived ones',
  about: 'Lists memories with their ids, newest first. Requires Full access.',
  options,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const limit = parseLimit(values.limit, DEFAULT_LIMIT);
    const { service } = await signedInToTeam(values);
    const clientId = await findOptionalClient(service, values.client);
    const query = { state: values.state, clientId, q: values.containing };
    const items = await readList(service, '/v1/memory/memories', Memory, query, limit);
    const nameLayer = await readLayerNames(
      service,
      items.map((item) => item.clientId),
    );
    const lines = table(
      [
        { title: 'Memory', value: ({ id }) => id, role: 'id' },
        { title: 'State', value: ({ state }) => state },
        { title: 'Version', value: ({ version }) => version },
        { title: 'Updated', value: ({ updatedAt }) => day(updatedAt) },
        { title: 'Layer', value: (item) => nameLayer(item.clientId), canShrink: true },
        { title: 'Title', value: ({ title }) => title, canShrink: true, role: 'name' },
      ],
      items,
    );
    return { text: items.length === 0 ? 'No memories.' : lines.join('\n'), data: { items } };
  },
};
