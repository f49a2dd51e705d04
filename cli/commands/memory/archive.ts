import type { ArchiveFilter } from '../../../shared/schemas/library.ts';
import { ArchiveResponse } from '../../../shared/schemas/library.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { counted } from '../../terminal/output.ts';
import { parseMoment } from '../../terminal/times.ts';

const KINDS = ['ingest', 'import'] as const;

const options = {
  kind: { type: 'string', value: 'kind', help: 'only this kind: ingest or import' },
  client: { type: 'string', value: 'client', help: 'only the sources of this client, by name or id' },
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
  'dry-run': { type: 'boolean', help: 'only count the sources' },
  ...TEAM_OPTIONS,
} as const;

function parseKind(given: string | undefined): ArchiveFilter['kind'] {
  const kind = KINDS.find((candidate) => candidate === given);
  if (given !== undefined && kind === undefined) throw new CommandError('--kind: expected ingest or import');
  return kind;
}

export const archive: Command<typeof options> = {
  section: 'memory',
  summary: 'archive many sources, so that searches no longer find them',
  about: `Archives the sources that all given options describe; at least one is required. Sources of memories and of
workspace files are skipped. It requires Full access. Ctrl-C stops it: what was archived stays so, and the next run
continues.`,
  options,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const given = {
      kind: parseKind(values.kind),
      tag: values.tag,
      q: values.containing,
      createdBefore: parseMoment('before', values.before),
    };
    if (values.client === undefined && Object.values(given).every((value) => value === undefined)) {
      throw new CommandError('name the sources with --kind, --client, --tag, --containing or --before');
    }
    const { service } = await signedInToTeam(values);
    const filter = { ...given, clientId: await findOptionalClient(service, values.client) };
    const dryRun = values['dry-run'] === true;
    const send = () => service.post('/v1/memory/sources/archive', ArchiveResponse, { filter, dryRun });
    let total = 0;
    for (;;) {
      const { count } = await send();
      total += count;
      if (dryRun || count === 0) break;
    }
    const what = counted(total, 'source');
    return {
      text: dryRun ? `${what} would be archived.` : `Archived ${what}.`,
      data: { count: total, dryRun },
    };
  },
};
