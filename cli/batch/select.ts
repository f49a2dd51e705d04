import { isId } from '../../shared/ids.ts';
import { SOURCE_KINDS } from '../../shared/schemas/common.ts';
import { Source } from '../../shared/schemas/sources.ts';
import { readList } from '../client/requests.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { findOptionalClient } from '../client/signed-in.ts';
import type { Options, Values } from '../program/command.ts';
import { CommandError, printNote } from '../terminal/command-error.ts';
import { atTerminal, readStandardInput } from '../terminal/prompt.ts';
import { DATE_FILTERS, parseDateOrAge, parseMoment } from '../terminal/times.ts';

/** The options that filter sources, of the list and of the commands that change many. */
export const FILTER_OPTIONS = {
  kind: {
    type: 'string',
    value: 'kind',
    choices: SOURCE_KINDS,
    help: 'only this kind: ingest, import, memory or file',
  },
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'only the sources of this client, by name or id',
  },
  tag: { type: 'string', value: 'tag', help: 'only sources with this tag' },
  containing: { type: 'string', value: 'text', help: 'only sources whose title or text contains this' },
  ...DATE_FILTERS,
} as const satisfies Options;

/** The options of a command that changes many sources. */
export const SELECT_OPTIONS = {
  ...FILTER_OPTIONS,
  // Memories and workspace files have commands of their own.
  kind: {
    type: 'string',
    value: 'kind',
    choices: ['ingest', 'import'],
    help: 'only this kind: ingest or import',
  },
  before: {
    type: 'string',
    value: 'time',
    help: 'only sources created before: a date, a time, or an age such as 90d',
  },
  yes: {
    type: 'boolean',
    help: 'change the sources that the filters describe without a question. It is required where nobody can be asked',
  },
  'dry-run': { type: 'boolean', help: 'only count the sources, even with --yes' },
} as const satisfies Options;

/** How the sources are named, for the help of these commands. */
export const SELECT_NOTE = `The sources are named by their ids: as arguments, or on standard input, one at the beginning of
each line, so that the list of sources can be piped. Or the options describe them, as those of sources do: then all of them
are changed, after a question in a terminal, elsewhere only with --yes. What the command changes, undo takes back.`;

type Filters = Values<typeof SELECT_OPTIONS>;

/** The query of the list of sources. */
export async function filterQuery(service: ServiceClient, values: Values<typeof FILTER_OPTIONS>) {
  const { kind, tag, containing: q } = values;
  const occurredAfter = parseDateOrAge('since', values.since);
  const occurredBefore = parseDateOrAge('until', values.until);
  return {
    kind,
    clientId: await findOptionalClient(service, values.client),
    tag,
    q,
    occurredAfter,
    occurredBefore,
  };
}

/** The sources that a command changes. */
export interface Selected {
  ids: string[];
  /** By their ids, as far as they are known. */
  titles: ReadonlyMap<string, string>;
  isByFilter: boolean;
}

/** Only so many lines that have no id are named. */
const MAX_NAMED = 3;

/** Reads ids from standard input: the first word of each line. A heading, which a list has, is left out. */
async function readIds(): Promise<string[]> {
  const lines = (await readStandardInput()).toString('utf8').split('\n');
  const words = lines.map((line) => line.trim()).filter((line) => line !== '');
  const firstWord = (line: string) => line.split(/\s/, 1)[0] ?? '';
  const ids = words.map(firstWord).filter(isId);
  if (words.length > 0 && ids.length === 0)
    throw new CommandError('standard input: expected the id of a source at the beginning of each line');
  const others = words.slice(1).filter((line) => !isId(firstWord(line)));
  for (const line of others.slice(0, MAX_NAMED)) printNote(`standard input: no id in: ${line}`);
  return ids;
}

/**
 * Finds the sources that a command names: by the operand, by its filters, or on standard input.
 * @param state of the sources that the filters describe
 * @throws CommandError if none are named, or in two ways
 */
export async function selectSources(
  service: ServiceClient,
  values: Filters,
  operand: string,
  state: 'active' | 'archived' = 'active',
): Promise<Selected> {
  const isByFilter = [...Object.keys(FILTER_OPTIONS), 'before'].some(
    (name) => values[name as keyof Filters] !== undefined,
  );
  if (isByFilter) {
    if (operand !== '') throw new CommandError('name the sources by their ids or with options, not both');
    const createdBefore = parseMoment('before', values.before) ?? '9999';
    const query = { ...(await filterQuery(service, values)), state };
    const found = await readList(service, '/v1/memory/sources', Source, query);
    const kinds: readonly Source['kind'][] = SELECT_OPTIONS.kind.choices;
    const items = found.filter(({ kind, createdAt }) => kinds.includes(kind) && createdAt < createdBefore);
    const titles = new Map(items.map(({ id, title }) => [id, title]));
    return { ids: [...titles.keys()], titles, isByFilter };
  }
  const isPiped = operand === '-' || (operand === '' && !atTerminal());
  const given = isPiped ? await readIds() : operand.split(' ').filter((id) => id !== '');
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  if (ids.length === 0)
    throw new CommandError(
      'name the sources by their ids, or with --kind, --client, --tag or another filter',
    );
  return { ids, titles: new Map(), isByFilter };
}
