import type { ListedMemory, SimilarMemory } from '../../../shared/schemas/library.ts';
import type { NameLayer } from '../../client/layers.ts';
import { oneLine } from '../../terminal/columns.ts';
import { editText } from '../../terminal/editor.ts';
import { bold, dim } from '../../terminal/output.ts';
import { day } from '../../terminal/times.ts';

/** The text of a memory as the reviewer has changed it. */
export type Edited = Pick<ListedMemory, 'title' | 'content'>;

/** Characters that a terminal executes or does not show. A person who decides on a text must see them. */
const UNSEEN = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A line of a text as it is, with `\\u{…}` for each character that would not be seen. */
export function visible(line: string): string {
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
export const wholeText = ({ title, content }: Edited) => `${title}\n\n${content}\n`;

/** Lets the reviewer change the text. */
export async function edit({ title, content }: Edited): Promise<Edited> {
  const edited = await editText(wholeText({ title, content }));
  const [first = '', ...lines] = edited.split('\n');
  if (first.trim() === '' || lines.join('').trim() === '') return { title, content };
  return { title: first.trim(), content: lines.join('\n').trim() };
}
