import { SessionInfo } from '../../shared/schemas/accounts.ts';
import { Client } from '../../shared/schemas/clients.ts';
import { Token } from '../../shared/schemas/tokens.ts';
import { listProfiles, UNNAMED } from '../client/profiles.ts';
import { readList } from '../client/requests.ts';
import { signedIn, signedInToTeam } from '../client/signed-in.ts';
import { tokensPath } from '../commands/tokens.ts';
import { oneLine } from '../terminal/columns.ts';
import { COMMON_OPTIONS, type Command, type Option, type Options } from './command.ts';
import { COMMANDS } from './registry.ts';

/** What is completed by name. */
type Named = 'profile' | 'team' | 'client' | 'token';

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
async function readNames(
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

/** A word that can be typed, and what it is. */
type Candidate = readonly [word: string, about: string];

/** What can be typed: one of these words, or the path of a file or of a folder, which the shell completes. */
type Completion = 'files' | 'folders' | readonly Candidate[];

/** The first words of the commands in a list, or the second ones after a first. */
function commandWords(first?: string): Candidate[] {
  const words = new Map<string, string>();
  for (const [name, { summary }] of Object.entries(COMMANDS)) {
    const [one = '', two] = name.split(' ');
    if (first === undefined)
      words.set(one, two === undefined ? summary : `${words.get(one) ?? 'commands:'} ${two}`);
    else if (one === first && two !== undefined) words.set(two, summary);
  }
  return [...words];
}

/** The arguments before the word that is completed. */
interface Before {
  values: Record<string, string | boolean>;
  /** The option whose value comes next. */
  open: Option | undefined;
  operands: string[];
  /** Whether -- has ended the options. */
  areOptionsOver: boolean;
}

function readBefore(options: Options, args: readonly string[]): Before {
  const before: Before = { values: {}, open: undefined, operands: [], areOptionsOver: false };
  let open: string | undefined;
  for (const arg of args) {
    if (open !== undefined) {
      before.values[open] = arg;
      open = undefined;
    } else if (before.areOptionsOver || !arg.startsWith('-') || arg === '-') {
      before.operands.push(arg);
    } else if (arg === '--') {
      before.areOptionsOver = true;
    } else {
      const [name = '', ...value] = arg.slice(2).split('=');
      if (options[name]?.type === 'string' && value.length === 0) open = name;
      else before.values[name] = value.length === 0 ? true : value.join('=');
    }
  }
  return { ...before, open: open === undefined ? undefined : options[open] };
}

/** The values that an option or an operand can have. */
async function valuesOf(
  { choices, examples, completes }: Pick<Option, 'choices' | 'examples' | 'completes'>,
  { values, operands }: Before,
): Promise<Completion> {
  if (completes === 'file') return 'files';
  if (completes === 'folder') return 'folders';
  if (completes === 'command') return operands.length === 0 ? commandWords() : commandWords(operands[0]);
  const known = [...(choices ?? []), ...(examples ?? [])].map((word): Candidate => [word, '']);
  return completes === undefined
    ? known
    : [...known, ...(await readNames(completes satisfies Named, values))];
}

async function completeArgument(
  command: Command,
  args: readonly string[],
  word: string,
): Promise<Completion> {
  const options: Options = { ...command.options, ...COMMON_OPTIONS };
  const before = readBefore(options, args);
  if (before.open !== undefined) return valuesOf(before.open, before);
  if (word.startsWith('-') && !before.areOptionsOver) {
    const [flag = '', ...value] = word.split('=');
    const option = options[flag.slice(2)];
    if (value.length > 0 && option?.type === 'string') {
      const found = await valuesOf(option, before);
      return typeof found === 'string' ? found : found.map(([each, about]) => [`${flag}=${each}`, about]);
    }
    return Object.entries(options)
      .filter(([name, { multiple }]) => multiple === true || before.values[name] === undefined)
      .map(([name, { help }]) => [`--${name}`, help]);
  }
  const { operand } = command;
  const isExpected = operand?.isRepeated === true || before.operands.length === 0;
  return operand === undefined || !isExpected ? [] : valuesOf(operand, before);
}

async function complete(words: readonly string[], word: string): Promise<Completion> {
  const [first, second, ...more] = words;
  if (first === undefined && word.startsWith('-')) {
    return [
      ['--help', 'show the list of commands'],
      ['--version', 'show the version of the program'],
    ];
  }
  if (first === undefined) return commandWords();
  const command = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (command !== undefined) return completeArgument(command, words.slice(1), word);
  if (second === undefined) return commandWords(first);
  const inGroup = COMMANDS[`${first} ${second}`];
  return inGroup === undefined ? [] : completeArgument(inGroup, more, word);
}

/**
 * What a shell can complete, as the scripts read it.
 * @param words of the command line, without the program. The last one is completed
 */
export async function completionLines(words: readonly string[]): Promise<string[]> {
  const word = words.at(-1) ?? '';
  const found = await complete(words.slice(0, -1), word);
  if (typeof found === 'string') return [found];
  const fits = found
    .filter(([each]) => each.toLowerCase().startsWith(word.toLowerCase()))
    .map(([each, about]) => `${oneLine(each)}\t${oneLine(about)}`);
  return ['words', ...fits];
}
