import { Type } from 'typebox';
import { type ListedMemory as Listed, ListedMemory, Memory } from '../../../shared/schemas/library.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { type NameLayer, readLayerNames } from '../../client/layers.ts';
import { readList } from '../../client/read-list.ts';
import { type ServiceClient, ServiceRefusal } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError, withNote } from '../../terminal/command-error.ts';
import { keepText } from '../../terminal/editor.ts';
import { type Keys, TerminalClosed, withKeys } from '../../terminal/keys.ts';
import { printLines } from '../../terminal/output.ts';
import { atTerminal } from '../../terminal/prompt.ts';
import { type Edited, edit, itemLines, wholeText } from './review-text.ts';

const options = {
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'only memories of this client, by name or id',
  },
  ...TEAM_OPTIONS,
} as const;

/** The answer to a decision on one memory. */
const Decided = Type.Object({ memory: Memory });

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

export const review: Command<typeof options> = {
  section: 'memory',
  summary: 'decide on the memories that wait for review',
  about: `Shows the memories that wait for review one by one, newest first, and decides on each with a key: p publishes,
e opens it in VISUAL or EDITOR (p then publishes the edited text), d discards, s skips, q quits. What is published and
has feedback is shown too: k keeps it, d deletes it. Requires Full access and a terminal; with --json, it only lists the memories and needs no terminal.`,
  options,
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
