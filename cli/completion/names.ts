import { Client, SessionInfo, Token } from '../../shared/schemas/identity.ts';
import { listProfiles, UNNAMED } from '../client/profiles.ts';
import { readList } from '../client/read-list.ts';
import { signedIn, signedInToTeam } from '../client/signed-in.ts';
import { tokensPath } from '../commands/token/find-token.ts';

/** What is completed by name. */
export type Named = 'profile' | 'team' | 'client' | 'token';

/** Options with their values. */
export type GivenOptions = Readonly<Record<string, string | boolean>>;

/** What a name belongs to. */
interface Item {
  id: string;
  name: string;
}

/** A shell waits for the answer. */
const TIMEOUT_MS = 5000;

async function readItems(kind: Exclude<Named, 'profile'>, given: GivenOptions): Promise<Item[]> {
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const connection = { url: text('url'), profile: text('profile') };
  if (kind === 'team')
    return (await (await signedIn(connection)).service.get('/v1/auth/session', SessionInfo)).teams;
  const { service } = await signedInToTeam({ ...connection, team: text('team') });
  if (kind === 'client') return readList(service, '/v1/team/clients', Client);
  const tokens = await readList(service, tokensPath(given['team-wide'] === true), Token);
  return tokens.filter(({ state }) => state === 'active');
}

/** The names of items. Where several have one name, their ids are used, because only these are accepted. */
function namesOf(items: readonly Item[]): [word: string, about: string][] {
  return items.map(({ id, name }) => {
    const isUnique = items.filter((item) => item.name === name).length === 1;
    return isUnique ? [name, id] : [id, name];
  });
}

/**
 * The names that a word can be, each with what it is.
 * @param given the options before the word
 * @returns none if they cannot be read in time: a completion prints no errors
 */
export async function readNames(
  kind: Named,
  given: GivenOptions,
): Promise<(readonly [word: string, about: string])[]> {
  if (kind === 'profile') return (await listProfiles()).map((name) => [name ?? UNNAMED, ''] as const);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<[]>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS, []);
  });
  const names = readItems(kind, given).then(namesOf);
  return Promise.race([names, late])
    .catch(() => [])
    .finally(() => clearTimeout(timer));
}
