import { ArchiveResponse } from '../../../shared/schemas/library.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { CommandError, withNote } from '../../terminal/command-error.ts';
import { counted } from '../../terminal/output.ts';
import { parseMoment } from '../../terminal/times.ts';

const options = {
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

export const archive: Command<typeof options> = {
  section: 'memory',
  summary: 'archive many sources, so that searches no longer find them',
  about: `Archives the sources that all given options describe; at least one is required. Sources of memories and of
workspace files are skipped. Without --yes, the sources are only counted. It requires Full access. Ctrl-C stops it: what
was archived stays so, and the next run continues. Sources that are stored after the command began are left out.`,
  options,
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
