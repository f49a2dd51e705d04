import { COMMON_OPTIONS, type Command, type Option, type Options } from '../program/command.ts';
import { COMMANDS } from '../program/registry.ts';
import { oneLine } from '../terminal/columns.ts';
import { type Named, readNames } from './names.ts';

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
