import { Type } from 'typebox';
import { type ListedMemory as Listed, ListedMemory, Memory } from '../../../shared/schemas/library.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { type NameLayer, readLayerNames } from '../../client/layers.ts';
import { readList } from '../../client/read-list.ts';
import { type ServiceClient, ServiceRefusal } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { editText } from '../../terminal/editor.ts';
import { readKey } from '../../terminal/keys.ts';
import { bold, dim } from '../../terminal/output.ts';
import { atTerminal } from '../../terminal/prompt.ts';
import { day } from '../../terminal/times.ts';

const options = {
  client: { type: 'string', value: 'client', help: 'only memories of this client, by name or id' },
  ...TEAM_OPTIONS,
} as const;

/** The answer to a decision on one memory. */
const Decided = Type.Object({ memory: Memory });

const KEYS = 'p publish  e edit  d discard  s skip  q quit';

/** The text of a memory as the reviewer has changed it. */
type Edited = Pick<Listed, 'title' | 'content'>;

const print = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);

/** The lines of a text, each without characters that could control the terminal. */
const safeLines = (text: string) => text.split('\n').map((line) => oneLine(line));

function itemLines(item: Listed, { title, content }: Edited, nameLayer: NameLayer, place: string): string[] {
  const { clientId, createdAt, tags, captures = [], similar = [] } = item;
  const about = [place, nameLayer(clientId), day(createdAt), ...tags.map((tag) => `#${tag}`)].join(', ');
  const sessions = [...new Set(captures.map(({ sessionId }) => oneLine(sessionId)))];
  return [
    '',
    bold(oneLine(title)),
    dim(oneLine(about)),
    '',
    ...safeLines(content),
    '',
    ...(sessions.length === 0 ? [] : [dim(`From: ${sessions.join(', ')}`)]),
    ...similar.map((each) =>
      oneLine(`Similar (${Math.round(each.similarity * 100)} %): ${each.title}: ${each.excerpt}`).slice(
        0,
        200,
      ),
    ),
  ];
}

/** Lets the reviewer change the text: the first line is the title. */
async function edit({ title, content }: Edited): Promise<Edited> {
  const edited = await editText(`${title}\n\n${content}\n`);
  const [first = '', ...lines] = edited.split('\n');
  if (first.trim() === '' || lines.join('').trim() === '') return { title, content };
  return { title: first.trim(), content: lines.join('\n').trim() };
}

type Outcome = 'published' | 'discarded' | 'skipped' | 'refused';

/** Sends a decision. A memory that someone else has decided or changed is named, and the review goes on. */
async function decide(
  service: ServiceClient,
  { id, version }: Listed,
  action: 'publish' | 'discard',
  changed: Partial<Edited>,
): Promise<Outcome> {
  try {
    await service.post('/v1/memory/memories', Decided, { action, memoryId: id, version, ...changed });
    return action === 'publish' ? 'published' : 'discarded';
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || error.status !== 409) throw error;
    print([error.message]);
    return 'refused';
  }
}

/** Asks for a decision on one memory. Returns null if the reviewer wants to stop. */
async function reviewItem(
  service: ServiceClient,
  item: Listed,
  nameLayer: NameLayer,
  place: string,
): Promise<Outcome | null> {
  let text: Edited = item;
  for (;;) {
    print(itemLines(item, text, nameLayer, place));
    switch (await readKey(KEYS)) {
      case 'p': {
        const isEdited = text.title !== item.title || text.content !== item.content;
        return decide(service, item, 'publish', isEdited ? { title: text.title, content: text.content } : {});
      }
      case 'd':
        return decide(service, item, 'discard', {});
      case 's':
        return 'skipped';
      case 'q':
        return null;
      case 'e':
        text = await edit(text);
        break;
      default:
        print([`Press one of the keys: ${KEYS}`]);
    }
  }
}

export const review: Command<typeof options> = {
  section: 'memory',
  summary: 'decide on the memories that wait for review',
  about: `Shows the memories that wait for review one by one, newest first, and decides on each with a key: p publishes,
e opens it in VISUAL or EDITOR (p then publishes the edited text), d discards, s skips, q quits. Requires Full access and
a terminal; with --json, it only lists the memories and needs no terminal.`,
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
    const counts: Record<Outcome, number> = { published: 0, discarded: 0, skipped: 0, refused: 0 };
    for (const [index, item] of items.entries()) {
      const outcome = await reviewItem(service, item, nameLayer, `${index + 1} of ${items.length}`);
      if (outcome === null) break;
      counts[outcome] += 1;
      print([outcome]);
    }
    const text = Object.entries(counts)
      .filter(([name, n]) => n > 0 || name === 'published')
      .map(([name, n]) => `${n} ${name}`)
      .join(', ');
    return { text: `\n${text}.`, data: counts };
  },
};
