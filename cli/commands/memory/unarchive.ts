import { AuditEvent } from '../../../shared/schemas/audit.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { Source } from '../../../shared/schemas/memory.ts';
import { withQuery } from '../../client/read-list.ts';
import { withRetry } from '../../client/retry.ts';
import { type ServiceClient, ServiceRefusal } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError, printNote, withNote } from '../../terminal/command-error.ts';
import { countedOf } from '../../terminal/output.ts';

const options = {
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

export const unarchive: Command<typeof options> = {
  section: 'memory',
  summary: 'restore archived sources, so that searches find them again',
  about: `Restores archived sources as they were, by their ids, which sources --archived lists. With --event, restores all
sources that archive has archived with one request, by the id of its audit event. The service keeps what restoring needs
for MEMORY_ARCHIVE_DAYS, by default 30 days. A source that cannot be restored does not stop the others.`,
  options,
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
