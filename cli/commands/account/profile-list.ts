import { listProfiles, type Profile, readProfileSettings, UNNAMED } from '../../client/profiles.ts';
import { programName } from '../../client/run-command.ts';
import { readSession } from '../../client/session-file.ts';
import type { Command } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { type Column, table } from '../../terminal/table.ts';

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
