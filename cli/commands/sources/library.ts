import { AuditEvent } from '../../../shared/schemas/audit.ts';
import { Page, SOURCE_KINDS } from '../../../shared/schemas/common.ts';
import { DecisionResponse } from '../../../shared/schemas/memories.ts';
import { ArchiveResponse, ChangedSource, Source } from '../../../shared/schemas/sources.ts';
import { parseLimit, readList, withQuery } from '../../client/requests.ts';
import { NoBody, type ServiceClient, ServiceRefusal, withRetry } from '../../client/service-client.ts';
import {
  findClient,
  findOptionalClient,
  type NameLayer,
  readLayerNames,
  signedInToTeam,
} from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError, printNote, withNote } from '../../terminal/command-error.ts';
import { counted, countedOf } from '../../terminal/output.ts';
import { type Column, table } from '../../terminal/table.ts';
import { DATE_FILTERS, day, parseDateOrAge, parseMoment } from '../../terminal/times.ts';
import { moveDatabase } from '../move-database.ts';

const DEFAULT_LIMIT = 50;

const sourcesOptions = {
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

export const sources: Command<typeof sourcesOptions> = {
  section: 'memory',
  summary: 'list the stored sources',
  about: 'Lists the sources that you can reach in the Team layer and its clients, newest first.',
  options: sourcesOptions,
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

const archiveOptions = {
  kind: {
    type: 'string',
    value: 'kind',
    choices: ['ingest', 'import'],
    help: 'only this kind: ingest or import',
  },
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'only the sources of this client, by name or id',
  },
  tag: { type: 'string', value: 'tag', help: 'only sources with this tag' },
  containing: {
    type: 'string',
    value: 'text',
    help: 'only sources whose title, uri or external id has this',
  },
  before: {
    type: 'string',
    value: 'time',
    help: 'only sources created before: a date, a time, or an age such as 90d',
  },
  yes: { type: 'boolean', help: 'required to archive them; otherwise they are only counted' },
  'dry-run': { type: 'boolean', help: 'only count the sources, even with --yes' },
  ...TEAM_OPTIONS,
} as const;

export const archive: Command<typeof archiveOptions> = {
  section: 'memory',
  summary: 'archive many sources, so that searches no longer find them',
  about: `Archives the sources that all given options describe; at least one is required. Sources of memories and of
workspace files are skipped. Without --yes, the sources are only counted. It requires Full access. Ctrl-C stops it: what
was archived stays so, and the next run continues. Sources that are stored after the command began are left out.`,
  options: archiveOptions,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const given = {
      kind: values.kind,
      tag: values.tag,
      q: values.containing,
      createdBefore: parseMoment('before', values.before),
    };
    if (values.client === undefined && Object.values(given).every((value) => value === undefined)) {
      throw new CommandError('name the sources with --kind, --client, --tag, --containing or --before');
    }
    const { service } = await signedInToTeam(values);
    // Without a time, the requests would also archive what is stored while they run, and could never end.
    const createdBefore = given.createdBefore ?? new Date().toISOString();
    const filter = { ...given, createdBefore, clientId: await findOptionalClient(service, values.client) };
    const dryRun = values['dry-run'] === true || values.yes !== true;
    const archiveNext = async () =>
      (await service.post('/v1/memory/sources/archive', ArchiveResponse, { filter, dryRun })).count;
    if (dryRun) {
      const count = await archiveNext();
      const advice = values.yes === true ? '' : ' To archive them, add --yes.';
      return { text: `${counted(count, 'source')} would be archived.${advice}`, data: { count, dryRun } };
    }
    let total = 0;
    try {
      for (let count = -1; count !== 0; total += count) count = await archiveNext();
    } catch (error) {
      throw total === 0 ? error : withNote(error, `archived ${counted(total, 'source')} before this error`);
    }
    return { text: `Archived ${counted(total, 'source')}.`, data: { count: total, dryRun } };
  },
};

const unarchiveOptions = {
  event: {
    type: 'string',
    value: 'id',
    help: 'restore the sources of this audit event of the kind memory.archive. Requires Full access',
  },
  ...TEAM_OPTIONS,
} as const;

/** Reads pages of events, newest first, until the event is found. */
async function readEvent(service: ServiceClient, id: string): Promise<AuditEvent> {
  let cursor: string | undefined;
  do {
    const query = { kind: 'memory.archive', limit: '200', cursor };
    const page = await service.get(withQuery('/v1/memory/audit', query), Page(AuditEvent));
    const found = page.items.find((event) => event.id === id.toLowerCase());
    if (found !== undefined) return found;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  throw new CommandError(`the Team has no event memory.archive with the id ${oneLine(id)}: audit lists them`);
}

/** The sources that an event archived: several, or the one that it is about. */
function sourcesOf({ subjectId, detail }: AuditEvent): string[] {
  const ids = detail['sourceIds'];
  if (Array.isArray(ids)) return ids.filter((id) => typeof id === 'string');
  return subjectId === null ? [] : [subjectId];
}

type Outcome = { id: string } & (
  | { state: 'restored'; title: string }
  | { state: 'not restored'; why: string }
);

const lineOf = (outcome: Outcome) =>
  outcome.state === 'restored'
    ? `Restored ${oneLine(outcome.title)} (${outcome.id}).`
    : `Not restored: ${oneLine(outcome.id)}: ${outcome.why}`;

/** Refusals of one source. A smaller source can still be within the quota. */
const ABOUT_SOURCE = ['conflict', 'not_found', 'forbidden', 'quota_exceeded'];

/** Restores a source. A refusal that is about this source is an outcome, and the next source can be restored. */
async function restore(service: ServiceClient, id: string): Promise<Outcome> {
  try {
    const { title } = await service.post(`/v1/memory/sources/${encodeURIComponent(id)}/restore`, Source);
    return { id, state: 'restored', title };
  } catch (error) {
    const isAboutSource = error instanceof ServiceRefusal && ABOUT_SOURCE.includes(error.code);
    if (!isAboutSource) throw error;
    return { id, state: 'not restored', why: error.message };
  }
}

export const unarchive: Command<typeof unarchiveOptions> = {
  section: 'memory',
  summary: 'restore archived sources, so that searches find them again',
  about: `Restores archived sources as they were, by their ids, which sources --archived lists. With --event, restores all
sources that archive has archived with one request, by the id of its audit event. The service keeps what restoring needs
for MEMORY_ARCHIVE_DAYS, by default 30 days. A source that cannot be restored does not stop the others.`,
  options: unarchiveOptions,
  operand: { name: 'source', isOptional: true, isRepeated: true },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const given = operand.split(' ').filter((id) => id !== '');
    if ((values.event === undefined) === (given.length === 0)) {
      throw new CommandError('name the sources, or an audit event with --event');
    }
    const connected = (await signedInToTeam(values)).service;
    const service = withRetry(connected, (text) => {
      if (text !== null) printNote(text);
    });
    const ids = values.event === undefined ? given : sourcesOf(await readEvent(service, values.event));
    const outcomes: Outcome[] = [];
    for (const id of ids) {
      try {
        outcomes.push(await restore(service, id));
      } catch (error) {
        throw outcomes.length === 0
          ? error
          : withNote(
              error,
              `${countedOf(outcomes.length, ids.length, 'source was', 'sources were')} sent before this error`,
            );
      }
    }
    const failed = outcomes.filter(({ state }) => state === 'not restored').length;
    return {
      text: outcomes.map(lineOf).join('\n'),
      data: { sources: outcomes },
      ...(failed === 0
        ? {}
        : {
            failure: new CommandError(`${countedOf(failed, ids.length, 'source')} could not be restored`),
          }),
    };
  },
};

/** The word for the Team layer. */
const TEAM_LAYER = 'team';
/** A source of many chunks takes about as long as storing it. */
const TIMEOUT_MS = 300_000;

const moveOptions = {
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

export const move: Command<typeof moveOptions> = {
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
  options: moveOptions,
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
