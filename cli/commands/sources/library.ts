import { Source } from '../../../shared/schemas/sources.ts';
import { FILTER_OPTIONS, filterQuery } from '../../batch/select.ts';
import { parseLimit, readCountedList } from '../../client/requests.ts';
import { NoBody } from '../../client/service-client.ts';
import { type NameLayer, readLayerNames, signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { type Column, table } from '../../terminal/table.ts';
import { day } from '../../terminal/times.ts';
import { COUNT_OPTION, endLines, SORT_OPTIONS } from '../lists.ts';

const DEFAULT_LIMIT = 50;

const sourcesOptions = {
  ...FILTER_OPTIONS,
  archived: { type: 'boolean', help: 'list the archived sources' },
  limit: { type: 'string', value: 'n', help: `the most sources to list, default ${DEFAULT_LIMIT}` },
  ...SORT_OPTIONS,
  ...COUNT_OPTION,
  ...TEAM_OPTIONS,
} as const;

const columnsFor = (nameLayer: NameLayer): readonly Column<Source>[] => [
  { title: 'Source', value: ({ id }) => id, role: 'id' },
  { title: 'Kind', value: ({ kind }) => kind },
  { title: 'Date', value: ({ occurredAt, createdAt }) => day(occurredAt ?? createdAt) },
  { title: 'Updated', value: ({ updatedAt }) => day(updatedAt) },
  { title: 'Passages', value: ({ chunks }) => chunks },
  { title: 'Layer', value: ({ clientId }) => nameLayer(clientId), canShrink: true },
  { title: 'Tags', value: ({ tags }) => (tags.length === 0 ? null : tags.join(', ')), canShrink: true },
  { title: 'Title', value: ({ title }) => title, canShrink: true, role: 'name' },
];

export const sources: Command<typeof sourcesOptions> = {
  section: 'memory',
  summary: 'list the stored sources',
  about:
    'Lists the sources that you can reach in the Team layer and its clients, newest first unless --sort names another order.',
  options: sourcesOptions,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const limit = parseLimit(values.limit, DEFAULT_LIMIT);
    const { service } = await signedInToTeam(values);
    const query = {
      ...(await filterQuery(service, values)),
      state: values.archived === true ? 'archived' : undefined,
      sort: values.sort,
      order: values.order,
    };
    const counting = { limit, isCounted: values.count === true };
    const list = await readCountedList(service, '/v1/memory/sources', Source, query, counting);
    const { items } = list;
    const nameLayer = await readLayerNames(
      service,
      items.map(({ clientId }) => clientId),
    );
    const lines = items.length === 0 ? ['No sources.'] : table(columnsFor(nameLayer), items);
    return { text: [...lines, ...endLines(list, limit)].join('\n'), data: list };
  },
};

const purgeOptions = {
  yes: { type: 'boolean', help: 'required, because a purge cannot be undone' },
  ...TEAM_OPTIONS,
} as const;

const purgeOf = (
  record: 'source' | 'memory',
  route: string,
  about: string,
): Command<typeof purgeOptions> => ({
  section: 'memory',
  summary: `delete a ${record} for good`,
  about,
  options: purgeOptions,
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
