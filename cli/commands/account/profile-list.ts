import { listProfiles, type Profile, readProfileSettings, UNNAMED } from '../../client/profiles.ts';
import { readSession } from '../../client/session-file.ts';
import type { Command } from '../../program/command.ts';
import { type Column, table } from '../../terminal/table.ts';

/** What is saved under a name. */
interface Listed {
  name: string;
  url: string | null;
  email: string | null;
  expiresAt: string | null;
  team: string | null;
  embedWith: string | null;
}

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'Profile', value: ({ name }) => name },
  { title: 'Service', value: ({ url }) => url },
  { title: 'Email', value: ({ email }) => email },
  { title: 'Default Team', value: ({ team }) => team, canShrink: true },
  { title: 'Vectors of queries', value: ({ embedWith }) => embedWith, canShrink: true },
];

async function read(profile: Profile): Promise<Listed> {
  const session = await readSession(profile);
  const { team, embedWith } = await readProfileSettings(profile);
  return {
    name: profile ?? UNNAMED,
    url: session?.url ?? null,
    email: session?.email ?? null,
    expiresAt: session?.expiresAt ?? null,
    team: team?.name ?? null,
    embedWith: embedWith ?? null,
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
    return { text: table(COLUMNS, profiles).join('\n'), data: { profiles } };
  },
};
