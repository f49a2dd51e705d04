import { Health } from '../../shared/schemas/status.ts';
import {
  chosenProfile,
  listProfiles,
  type Profile,
  readProfileSettings,
  readSession,
  UNNAMED,
  writeProfileSettings,
} from '../client/profiles.ts';
import { programName } from '../client/run-command.ts';
import { connect } from '../client/service-client.ts';
import { serviceUrl } from '../client/settings.ts';
import { type Command, SERVICE_OPTIONS } from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Column, table } from '../terminal/table.ts';

/** What is saved under a name. */
interface Listed {
  name: string;
  url: string | null;
  email: string | null;
  expiresAt: string | null;
  team: string | null;
  embedWith: string | null;
  /** Why a file of the profile cannot be read; null if all can. */
  problem: string | null;
}

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'Profile', value: ({ name }) => name },
  { title: 'Service', value: ({ url }) => url },
  { title: 'Email', value: ({ email }) => email },
  { title: 'Default Team', value: ({ team }) => team, canShrink: true },
  {
    title: 'Vectors of queries',
    value: ({ embedWith }) => (embedWith === null ? null : programName(embedWith)),
    canShrink: true,
  },
];

/** Reads a file of a profile. One that cannot be read is a problem of this profile, and the others are still listed. */
async function attempt<Value>(read: Promise<Value>, problems: string[]): Promise<Value | null> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    problems.push(error.message);
    return null;
  }
}

async function read(profile: Profile): Promise<Listed> {
  const problems: string[] = [];
  const session = await attempt(readSession(profile), problems);
  const settings = await attempt(readProfileSettings(profile), problems);
  return {
    name: profile ?? UNNAMED,
    url: session?.url ?? null,
    email: session?.email ?? null,
    expiresAt: session?.expiresAt ?? null,
    team: settings?.team?.name ?? null,
    embedWith: settings?.embedWith ?? null,
    problem: problems.length === 0 ? null : problems.join('; '),
  };
}

export const profileList: Command = {
  section: 'account',
  summary: 'list the profiles: the services that you are signed in to',
  about: `Lists the profiles: the services that login saved a session for, each with its default Team. The profile
${UNNAMED} is used if neither --profile nor MEMORY_PROFILE names another.`,
  options: {},
  async run() {
    const profiles = await Promise.all((await listProfiles()).map(read));
    const problems = profiles.flatMap(({ name, problem }) =>
      problem === null ? [] : [`${name}: ${problem}`],
    );
    return {
      text: [...table(COLUMNS, profiles), ...problems.map(oneLine)].join('\n'),
      data: { profiles },
    };
  },
};

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
