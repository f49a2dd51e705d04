import { chosenProfile, readProfileSettings, UNNAMED, writeProfileSettings } from '../../client/profiles.ts';
import { programName } from '../../client/run-command.ts';
import { type Command, SERVICE_OPTIONS } from '../../program/command.ts';
import { CommandError } from '../../terminal/command-error.ts';

const options = {
  'embed-with': {
    type: 'string',
    value: 'command',
    help: 'command that makes the vector of a query; an empty text removes it',
  },
  profile: {
    ...SERVICE_OPTIONS.profile,
    help: `the profile to change; default: MEMORY_PROFILE, or ${UNNAMED}`,
  },
} as const;

export const profileSet: Command<typeof options> = {
  section: 'account',
  summary: 'choose how a profile makes the vectors of queries',
  about: `Chooses the command with which search makes the vector of a query, where the service does not make it. The
command receives the query on standard input and prints a JSON array of numbers. It must use the model of the service,
which status shows.`,
  options,
  notes: 'The default Team of a profile is chosen with team use.',
  async run(values) {
    const profile = chosenProfile(values.profile);
    const command = values['embed-with'];
    if (command === undefined) throw new CommandError('name what to set: --embed-with <command>');
    const { embedWith: _, ...others } = await readProfileSettings(profile);
    const settings = command.trim() === '' ? others : { ...others, embedWith: command };
    await writeProfileSettings(profile, settings);
    const name = profile ?? UNNAMED;
    return {
      text:
        'embedWith' in settings
          ? `The profile ${name} makes the vectors of queries with: ${programName(command)}`
          : `The profile ${name} does not make vectors of queries.`,
      data: { profile: name, ...settings },
    };
  },
};
