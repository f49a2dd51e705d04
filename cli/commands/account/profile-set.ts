import { Health } from '../../../shared/schemas/status.ts';
import {
  chosenProfile,
  type Profile,
  readProfileSettings,
  UNNAMED,
  writeProfileSettings,
} from '../../client/profiles.ts';
import { programName } from '../../client/run-command.ts';
import { connect } from '../../client/service-client.ts';
import { readSession } from '../../client/session-file.ts';
import { serviceUrl } from '../../client/settings.ts';
import { type Command, SERVICE_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';

const options = {
  'embed-with': {
    type: 'string',
    value: 'command',
    help: 'command that makes the vector of a query; an empty text removes it',
  },
  profile: {
    ...SERVICE_OPTIONS.profile,
    help: `the profile to change; default: MEMORY_PROFILE, otherwise ${UNNAMED}`,
  },
  url: {
    ...SERVICE_OPTIONS.url,
    help: 'address of the service whose model the command uses; default: that of the saved session',
  },
} as const;

/** The model of the service, for which no credential is needed. */
async function modelOf(given: string | undefined, profile: Profile): Promise<string> {
  const session = given === undefined ? await readSession(profile) : null;
  const url = session?.url ?? serviceUrl(given);
  return (await connect(url, null).get('/v1/health', Health)).embedder.model;
}

export const profileSet: Command<typeof options> = {
  section: 'account',
  summary: 'choose how a profile makes the vectors of queries',
  about: `Chooses the command with which search makes the vector of a query, where the service does not make it. The
command receives the query on standard input and prints a JSON array of numbers. It must use the model of the service,
which status shows. The name of this model is saved with the command: if the service uses another model later, searches
are refused, and doctor warns.`,
  options,
  notes: `The command does not get the variables MEMORY_* and DATABASE_URL. The default Team of a profile is chosen with
team use.`,
  async run(values) {
    const profile = chosenProfile(values.profile);
    const command = values['embed-with'];
    if (command === undefined) throw new CommandError('name what to set: --embed-with <command>');
    const { embedWith: _command, embeddingModel: _model, ...others } = await readProfileSettings(profile);
    const settings =
      command.trim() === ''
        ? others
        : { ...others, embedWith: command, embeddingModel: await modelOf(values.url, profile) };
    await writeProfileSettings(profile, settings);
    const name = profile ?? UNNAMED;
    return {
      text:
        'embedWith' in settings
          ? `The profile ${name} makes the vectors of queries with: ${programName(command)} (${oneLine(settings.embeddingModel)})`
          : `The profile ${name} does not make vectors of queries.`,
      data: { profile: name, ...settings },
    };
  },
};
