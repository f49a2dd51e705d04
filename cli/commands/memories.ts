import { Type } from 'typebox';
import { MEMORY_STATES } from '../../shared/memory-states.ts';
import {
  type ListedMemory as Listed,
  ListedMemory,
  Memory,
  MemoryVersion,
  type SimilarMemory,
} from '../../shared/schemas/memories.ts';
import { parseLimit, readCountedList, readList } from '../client/requests.ts';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';
import { findOptionalClient, type NameLayer, readLayerNames, signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, parseWhole, TEAM_OPTIONS } from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError, withNote } from '../terminal/command-error.ts';
import { bold, dim, printLines, type Result } from '../terminal/output.ts';
import { atTerminal, editText, type Keys, keepText, TerminalClosed, withKeys } from '../terminal/prompt.ts';
import { table } from '../terminal/table.ts';
import { day } from '../terminal/times.ts';
import { COUNT_OPTION, endLines, SORT_OPTIONS } from './lists.ts';

const DEFAULT_LIMIT = 50;

const memoriesOptions = {
  state: {
    type: 'string',
    value: 'state',
    choices: MEMORY_STATES,
    help: 'review, published, discarded or archived; default: those in review and the published ones',
  },
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'only memories of this client, by name or id',
  },
  containing: { type: 'string', value: 'text', help: 'only memories whose title or text contains this' },
  limit: { type: 'string', value: 'n', help: `the most memories to list, default ${DEFAULT_LIMIT}` },
  ...SORT_OPTIONS,
  ...COUNT_OPTION,
  ...TEAM_OPTIONS,
} as const;

export const memories: Command<typeof memoriesOptions> = {
  section: 'memory',
  summary: 'list memories, also discarded and archived ones',
  about:
    'Lists memories with their ids, newest first unless --sort names another order. Requires Full access.',
  options: memoriesOptions,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const limit = parseLimit(values.limit, DEFAULT_LIMIT);
    const { service } = await signedInToTeam(values);
    const clientId = await findOptionalClient(service, values.client);
    const { state, containing: q, sort, order } = values;
    const query = { state, clientId, q, sort, order };
    const counting = { limit, isCounted: values.count === true };
    const list = await readCountedList(service, '/v1/memory/memories', Memory, query, counting);
    const { items } = list;
    const nameLayer = await readLayerNames(
      service,
      items.map((item) => item.clientId),
    );
    const lines = table(
      [
        { title: 'Memory', value: ({ id }) => id, role: 'id' },
        { title: 'State', value: ({ state }) => state },
        { title: 'Version', value: ({ version }) => version },
        { title: 'Updated', value: ({ updatedAt }) => day(updatedAt) },
        { title: 'Layer', value: (item) => nameLayer(item.clientId), canShrink: true },
        { title: 'Title', value: ({ title }) => title, canShrink: true, role: 'name' },
      ],
      items,
    );
    const shown = items.length === 0 ? ['No memories.'] : lines;
    return { text: [...shown, ...endLines(list, limit)].join('\n'), data: list };
  },
};

/** The text of a memory as the reviewer has changed it. */
type Edited = Pick<ListedMemory, 'title' | 'content'>;

/** Characters that a terminal executes or does not show. A person who decides on a text must see them. */
const UNSEEN = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A line of a text as it is, with `\\u{…}` for each character that would not be seen. */
function visible(line: string): string {
  return line.replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The beginning of a text as one line. */
function excerpt(text: string, length: number): string {
  const line = oneLine(text);
  return line.length <= length ? line : `${line.slice(0, length).toWellFormed()}…`;
}

/** What the reviewer has decided on a memory since the list was read. */
export type Decisions = ReadonlyMap<string, { outcome: string; title: string }>;

/** A memory that is similar, as it is after the decisions of the reviewer. */
function similarLine(
  { memoryId, similarity, state, title, excerpt: text }: SimilarMemory,
  decided: Decisions,
): string {
  const decision = decided.get(memoryId);
  const now = decision?.outcome ?? (state === 'review' ? 'in review' : 'published');
  const where = now === 'published' ? '' : `, ${now}`;
  return excerpt(
    `Similar (${Math.round(similarity * 100)} %${where}): ${decision?.title ?? title}: ${text}`,
    200,
  );
}

/** The lines that show a memory to the reviewer. */
export function itemLines(
  item: ListedMemory,
  { title, content }: Edited,
  nameLayer: NameLayer,
  place: string,
  decided: Decisions = new Map(),
): string[] {
  const { clientId, createdAt, tags, captures = [], similar = [], feedback = [] } = item;
  const about = [place, nameLayer(clientId), day(createdAt), ...tags.map((tag) => `#${visible(tag)}`)];
  return [
    '',
    bold(visible(title)),
    dim(oneLine(about.join(', '))),
    '',
    ...content.replaceAll('\r\n', '\n').split('\n').map(visible),
    '',
    ...feedback.map(({ verdict, note }) =>
      excerpt(`Feedback: ${verdict}${note === null ? '' : `: ${note}`}`, 500),
    ),
    ...captures.map(({ sessionId, summary }) => dim(excerpt(`From ${sessionId}: ${summary}`, 500))),
    ...similar.map((other) => similarLine(other, decided)),
  ];
}

/** A text as one: the first line is the title. */
const wholeText = ({ title, content }: Edited) => `${title}\n\n${content}\n`;

/** Lets the reviewer change the text. */
async function edit({ title, content }: Edited): Promise<Edited> {
  const edited = await editText(wholeText({ title, content }));
  const [first = '', ...lines] = edited.split('\n');
  if (first.trim() === '' || lines.join('').trim() === '') return { title, content };
  return { title: first.trim(), content: lines.join('\n').trim() };
}

/** How the changes of a text are marked. */
const MARKS = { equal: ['', ''], insert: ['{+', '+}'], delete: ['[-', '-]'] } as const;

/** The lines that show a version. */
function versionLines({ version, title, createdAt, changes }: MemoryVersion): string[] {
  const marked = changes.map(({ op, text }) => `${MARKS[op][0]}${text}${MARKS[op][1]}`).join('');
  return [
    bold(visible(title)),
    dim(`version ${version}, ${day(createdAt)}`),
    ...marked.replaceAll('\r\n', '\n').split('\n').map(visible),
    '',
  ];
}

export const versions: Command<typeof TEAM_OPTIONS> = {
  section: 'memory',
  summary: 'show the texts that a memory has had',
  about: `Shows every text that a memory has had, newest first. What a version inserted is marked {+so+}, and what it
deleted [-so-]. restore publishes one of them again.`,
  options: TEAM_OPTIONS,
  operand: { name: 'memory' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const { service } = await signedInToTeam(values);
    const path = `/v1/memory/memories/${encodeURIComponent(operand)}/versions`;
    const items = await readList(service, path, MemoryVersion);
    return { text: items.flatMap(versionLines).join('\n').trimEnd(), data: { items } };
  },
};

const Decided = Type.Object({ memory: Memory });

/** The common parts of the commands that undo a decision on one memory. */
const COMMON = { section: 'memory', operand: { name: 'memory' }, notes: CREDENTIAL_NOTE } as const;

async function decideAgain(
  values: Parameters<typeof signedInToTeam>[0],
  decision: { action: string; memoryId: string; version?: number },
): Promise<Result> {
  const { service } = await signedInToTeam(values);
  const { memory } = await service.post('/v1/memory/memories', Decided, decision);
  const text = `${oneLine(memory.title)} (${memory.id}) is ${memory.state === 'review' ? 'in review' : memory.state}.`;
  return { text, data: { memory } };
}

export const reopen: Command<typeof TEAM_OPTIONS> = {
  ...COMMON,
  summary: 'put a discarded memory back into review',
  about:
    'Puts a discarded memory back into review, up to 30 days after it was discarded. Requires Full access.',
  options: TEAM_OPTIONS,
  run: (values, memoryId) => decideAgain(values, { action: 'reopen', memoryId }),
};

export const unpublish: Command<typeof TEAM_OPTIONS> = {
  ...COMMON,
  summary: 'put a published memory back into review',
  about: `Puts a published memory back into review: searches no longer find it. The memory that it superseded is published
again if it is still archived. Requires Full access.`,
  options: TEAM_OPTIONS,
  run: (values, memoryId) => decideAgain(values, { action: 'unpublish', memoryId }),
};

const restoreOptions = {
  version: { type: 'string', value: 'n', help: 'the version to restore, as versions shows it' },
  ...TEAM_OPTIONS,
} as const;

export const restore: Command<typeof restoreOptions> = {
  ...COMMON,
  summary: 'publish an earlier text of a memory again',
  about: `Publishes an earlier text of a memory as a new version, also if the memory is archived. Requires Full access.`,
  options: restoreOptions,
  async run(values, memoryId) {
    const version = parseWhole('version', values.version, 1, Number.MAX_SAFE_INTEGER);
    if (version === undefined) throw new CommandError('name the version to restore with --version');
    return decideAgain(values, { action: 'restore', memoryId, version });
  },
};

const reviewOptions = {
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'only memories of this client, by name or id',
  },
  ...TEAM_OPTIONS,
} as const;

const KEYS = 'p publish  e edit  d discard  s skip  q quit';
/** For published memories and sources that have feedback. */
const FEEDBACK_KEYS = 'k keep  d delete  s skip  q quit';

type Outcome = 'published' | 'discarded' | 'kept' | 'deleted' | 'skipped' | 'refused';

/** The outcomes that change what similar memories show. */
const SEEN: ReadonlySet<Outcome> = new Set(['published', 'discarded', 'deleted']);

const OUTCOMES = { publish: 'published', discard: 'discarded', keep: 'kept', delete: 'deleted' } as const;

/** Sends a decision. */
async function decide(
  service: ServiceClient,
  { id, version }: Listed,
  action: keyof typeof OUTCOMES,
  changed: Partial<Edited>,
): Promise<Outcome> {
  await service.post('/v1/memory/memories', Decided, { action, memoryId: id, version, ...changed });
  return OUTCOMES[action];
}

/** Asks for one of the keys of a review. */
async function readKey(keys: Keys, known: string): Promise<string> {
  const letters = known.split('  ').map((key) => key.charAt(0));
  let key = await keys.read(known);
  while (!letters.includes(key)) key = await keys.read(`Press one of the keys: ${known}`);
  return key;
}

/** What all decisions of a review need. */
interface Reviewing {
  service: ServiceClient;
  nameLayer: NameLayer;
  keys: Keys;
  /** The decisions so far, by the ids of the memories. */
  decided: Map<string, { outcome: Outcome; title: string }>;
}

/**
 * Asks for a decision on one memory, until there is one. An error is shown, and the reviewer is asked again. A memory
 * that someone else has decided or changed is named, and the review goes on.
 * @returns null if the reviewer wants to stop
 */
async function reviewItem(
  { service, nameLayer, keys, decided }: Reviewing,
  item: Listed,
  place: string,
): Promise<Outcome | null> {
  let text: Edited = item;
  const isPublished = item.state === 'published';
  const isEdited = () => text.title !== item.title || text.content !== item.content;
  const act = async (key: string): Promise<Outcome | null | 'again'> => {
    switch (key) {
      case 'p': {
        const changed = isEdited() ? { title: text.title, content: text.content } : {};
        return keys.during(decide(service, item, 'publish', changed));
      }
      case 'd':
        return keys.during(decide(service, item, isPublished ? 'delete' : 'discard', {}));
      case 'k':
        return keys.during(decide(service, item, 'keep', {}));
      case 's':
        return 'skipped';
      case 'e':
        text = await keys.suspended(() => edit(text));
        return 'again';
      default:
        return null;
    }
  };
  for (;;) {
    printLines(itemLines(item, text, nameLayer, place, decided));
    try {
      const outcome = await act(await readKey(keys, isPublished ? FEEDBACK_KEYS : KEYS));
      if (outcome === 'again') continue;
      if (outcome !== null && SEEN.has(outcome)) decided.set(item.id, { outcome, title: text.title });
      return outcome;
    } catch (error) {
      const isOver = !(error instanceof CommandError) || error instanceof TerminalClosed;
      const isDecided = error instanceof ServiceRefusal && error.status === 409;
      if (isEdited() && (isOver || isDecided)) withNote(error, await keepText(wholeText(text)));
      if (isOver) throw error;
      printLines([oneLine(error.message)]);
      if (isDecided) return 'refused';
      if (isEdited()) printLines(['Your text is kept: e opens it again.']);
    }
  }
}

/** The figures of a review. */
function countsText(counts: Record<Outcome, number>): string {
  const text = Object.entries(counts)
    .filter(([name, n]) => n > 0 || name === 'published')
    .map(([name, n]) => `${n} ${name}`)
    .join(', ');
  return `\n${text}.`;
}

export const review: Command<typeof reviewOptions> = {
  section: 'memory',
  summary: 'decide on the memories that wait for review',
  about: `Shows the memories that wait for review one by one, newest first, and decides on each with a key: p publishes,
e opens it in VISUAL or EDITOR (p then publishes the edited text), d discards, s skips, q quits. What is published and
has feedback is shown too: k keeps it, d deletes it. Requires Full access and a terminal; with --json, it only lists the memories and needs no terminal.`,
  options: reviewOptions,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    if (values.json !== true && !(atTerminal() && process.stdout.isTTY))
      throw new CommandError('review needs a terminal: use --json to list the memories that wait');
    const { service } = await signedInToTeam(values);
    const clientId = await findOptionalClient(service, values.client);
    const items = await readList(service, '/v1/memory/memories', ListedMemory, { state: 'review', clientId });
    if (values.json === true || items.length === 0)
      return { text: 'No memories wait for review.', data: { items } };
    const nameLayer = await readLayerNames(
      service,
      items.map((item) => item.clientId),
    );
    const counts: Record<Outcome, number> = {
      published: 0,
      discarded: 0,
      kept: 0,
      deleted: 0,
      skipped: 0,
      refused: 0,
    };
    let isDone = false;
    try {
      await withKeys(async (keys) => {
        const reviewing = { service, nameLayer, keys, decided: new Map() };
        for (const [index, item] of items.entries()) {
          const place = `${index + 1} of ${items.length}`;
          const outcome = await reviewItem(reviewing, item, place);
          if (outcome === null) break;
          counts[outcome] += 1;
          printLines([outcome]);
        }
      });
      isDone = true;
    } finally {
      if (!isDone) printLines([countsText(counts)]);
    }
    return { text: countsText(counts), data: counts };
  },
};
