import { SOURCE_KINDS } from '../../../shared/schemas/common.ts';
import { Source } from '../../../shared/schemas/memory.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { type NameLayer, readLayerNames } from '../../client/layers.ts';
import { parseLimit, readList } from '../../client/read-list.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { type Column, table } from '../../terminal/table.ts';
import { DATE_FILTERS, day, parseDateOrAge } from '../../terminal/times.ts';

const DEFAULT_LIMIT = 50;

const options = {
  kind: {
    type: 'string',
    value: 'kind',
    choices: SOURCE_KINDS,
    help: 'only this kind: ingest, import, memory or file',
  },
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'only the sources of this client, by name or id',
  },
  tag: { type: 'string', value: 'tag', help: 'only sources with this tag' },
  containing: { type: 'string', value: 'text', help: 'only sources whose title or text contains this' },
  ...DATE_FILTERS,
  archived: { type: 'boolean', help: 'list the archived sources' },
  limit: { type: 'string', value: 'n', help: `the most sources to list, default ${DEFAULT_LIMIT}` },
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

export const sources: Command<typeof options> = {
  section: 'memory',
  summary: 'list the stored sources',
  about: 'Lists the sources that you can reach in the Team layer and its clients, newest first.',
  options,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const limit = parseLimit(values.limit, DEFAULT_LIMIT);
    const occurredAfter = parseDateOrAge('since', values.since);
    const occurredBefore = parseDateOrAge('until', values.until);
    const { service } = await signedInToTeam(values);
    const query = {
      kind: values.kind,
      clientId: await findOptionalClient(service, values.client),
      tag: values.tag,
      q: values.containing,
      occurredAfter,
      occurredBefore,
      state: values.archived === true ? 'archived' : undefined,
    };
    const items = await readList(service, '/v1/memory/sources', Source, query, limit);
    const nameLayer = await readLayerNames(
      service,
      items.map(({ clientId }) => clientId),
    );
    const lines = items.length === 0 ? ['No sources.'] : table(columnsFor(nameLayer), items);
    const more = items.length === limit ? [`There may be more: --limit lists more than ${limit}.`] : [];
    return { text: [...lines, ...more].join('\n'), data: { items } };
  },
};
