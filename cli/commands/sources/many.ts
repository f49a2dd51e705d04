import { AuditEvent } from '../../../shared/schemas/audit.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { DecisionResponse } from '../../../shared/schemas/memories.ts';
import { changeMany, openPlace } from '../../batch/change.ts';
import { SELECT_NOTE, SELECT_OPTIONS, selectSources } from '../../batch/select.ts';
import { withQuery } from '../../client/requests.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { findClient, readLayerNames } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import type { Result } from '../../terminal/output.ts';
import { EXPIRES_OPTION, parseExpiryOption } from '../../terminal/times.ts';
import { moveDatabase } from '../move-database.ts';

/** The common parts of the commands that change many sources. */
const COMMON = {
  section: 'memory',
  operand: { name: 'source', isOptional: true, isRepeated: true },
  notes: `${SELECT_NOTE}
Options describe no memories and workspace files.

You need Full access to sources of others. The exit code is 1 if a source could not be changed.

${CREDENTIAL_NOTE}`,
} as const;

const tagOptions = {
  add: { type: 'string', multiple: true, value: 'tag', help: 'tag to add; can be repeated' },
  remove: { type: 'string', multiple: true, value: 'tag', help: 'tag to remove; can be repeated' },
  ...SELECT_OPTIONS,
  ...TEAM_OPTIONS,
} as const;

export const tag: Command<typeof tagOptions> = {
  ...COMMON,
  summary: 'add tags to many sources, or remove them',
  about: 'Adds tags to sources, and removes tags from them. The sources keep their other tags.',
  options: tagOptions,
  async run(values, operand) {
    const [add = [], remove = []] = [values.add, values.remove];
    if (add.length + remove.length === 0) throw new CommandError('name the tags with --add or --remove');
    const signedIn = await openPlace(values);
    const selected = await selectSources(signedIn.service, values, operand);
    const tags = [...add.map((name) => `+${name}`), ...remove.map((name) => `-${name}`)].join(' ');
    return changeMany(signedIn, values, selected, {
      change: { tags: { add: [...add], remove: [...remove] } },
      done: 'Tagged',
      how: `: ${oneLine(tags)}`,
      verb: 'tagged',
      label: 'tagging',
      what: `tag ${oneLine(tags)}`,
    });
  },
};

const expireOptions = {
  expires: EXPIRES_OPTION,
  never: { type: 'boolean', help: 'remove the expiry' },
  ...SELECT_OPTIONS,
  ...TEAM_OPTIONS,
} as const;

export const expire: Command<typeof expireOptions> = {
  ...COMMON,
  summary: 'set when many sources expire',
  about: 'Sets when sources expire: then they are archived. With --never, they do not expire.',
  options: expireOptions,
  async run(values, operand) {
    const expiresAt = parseExpiryOption(values.expires) ?? null;
    if ((expiresAt === null) !== (values.never === true))
      throw new CommandError('name the time with --expires, or use --never');
    const signedIn = await openPlace(values);
    const selected = await selectSources(signedIn.service, values, operand);
    return changeMany(signedIn, values, selected, {
      change: { expiresAt },
      done: 'Set the expiry of',
      how: `: ${expiresAt ?? 'never'}`,
      verb: 'changed',
      label: 'expiring',
      what: `expire ${expiresAt ?? 'never'}`,
    });
  },
};

const archiveOptions = { ...SELECT_OPTIONS, ...TEAM_OPTIONS } as const;

export const archive: Command<typeof archiveOptions> = {
  ...COMMON,
  summary: 'archive many sources, so that searches no longer find them',
  about: `Archives sources: searches no longer find them, and undo or unarchive restores them.`,
  options: archiveOptions,
  async run(values, operand) {
    const signedIn = await openPlace(values);
    const selected = await selectSources(signedIn.service, values, operand);
    return changeMany(signedIn, values, selected, {
      change: { state: 'archived' },
      done: 'Archived',
      how: '',
      verb: 'archived',
      label: 'archiving',
      what: 'archive',
    });
  },
};

const unarchiveOptions = {
  event: {
    type: 'string',
    value: 'id',
    help: 'restore the sources of this audit event of the kind memory.archive. Requires Full access',
  },
  ...archiveOptions,
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

export const unarchive: Command<typeof unarchiveOptions> = {
  ...COMMON,
  summary: 'restore archived sources, so that searches find them again',
  about: `Restores archived sources as they were; sources --archived lists them. With --event, restores all sources that one
request has archived, by the id of its audit event. The service keeps what restoring needs for MEMORY_ARCHIVE_DAYS, by
default 30 days.`,
  options: unarchiveOptions,
  async run({ event, ...values }, operand) {
    const signedIn = await openPlace(values);
    const { service } = signedIn;
    if (event !== undefined && operand !== '')
      throw new CommandError('name the sources, or an audit event with --event, not both');
    const selected =
      event === undefined
        ? await selectSources(service, values, operand, 'archived')
        : { ids: sourcesOf(await readEvent(service, event)), titles: new Map(), isByFilter: false };
    return changeMany(signedIn, values, selected, {
      change: { state: 'active' },
      done: 'Restored',
      how: '',
      verb: 'restored',
      label: 'restoring',
      what: 'unarchive',
    });
  },
};

/** The word for the Team layer. */
const TEAM_LAYER = 'team';

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
  ...SELECT_OPTIONS,
  ...TEAM_OPTIONS,
} as const;

async function moveMemory(
  service: ServiceClient,
  memoryId: string,
  clientId: string | null,
  layer: string,
): Promise<Result> {
  const decision = { action: 'move', memoryId, clientId };
  const { memory: data } = await service.post('/v1/memory/memories', DecisionResponse, decision);
  if (data === undefined) throw new CommandError('the service did not return the memory');
  return { text: `${oneLine(data.title)} (${data.id}) is in ${layer} now.`, data };
}

export const move: Command<typeof moveOptions> = {
  ...COMMON,
  summary: 'move sources or a memory to a client, or to the Team layer; with --from: a whole database',
  about: `Moves sources to the layer of a client, or to the Team layer, with everything that belongs to them. You must be
able to write in both layers. With --memory, moves one memory with its source, which requires Full access.

With --from, moves a whole database of the service to an empty one: from an embedded database to PostgreSQL, back, or
between two of a kind. That works in the folder of the service only. Stop the service first. An address, or the folder of
an embedded database (MEMORY_DATA_DIR), names a database. Each table is verified by its count and the SHA-256 of its rows.
--from stays as it is. If the command was interrupted, run it again: it goes on. Until it has completed, no service starts
on --to.`,
  options: moveOptions,
  async run({ to, from, memory, ...values }, operand) {
    if (from !== undefined) return moveDatabase({ ...values, to, from, memory }, operand);
    if (to === undefined) throw new CommandError('--to: name a client, or team for the Team layer');
    const signedIn = await openPlace(values);
    const { service } = signedIn;
    const clientId = to === TEAM_LAYER ? null : await findClient(service, to, '--to');
    const nameLayer = await readLayerNames(service, [clientId]);
    const layer = clientId === null ? 'the Team layer' : oneLine(nameLayer(clientId));
    if (memory === true && operand === '') throw new CommandError('name the id of a memory (see --help)');
    if (memory === true) return moveMemory(service, operand, clientId, layer);
    const selected = await selectSources(service, values, operand);
    return changeMany(signedIn, values, selected, {
      change: { clientId },
      done: 'Moved',
      how: ` to ${layer}`,
      verb: 'moved',
      label: 'moving',
      what: `move to ${layer}`,
    });
  },
};
