import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import type { Extraction } from '../extraction.ts';
import { headingLine, joinBlocks, minuteOf, oneLine, withoutHeadings } from '../text.ts';

/** One message of a chat, as people saw it. */
export interface ChatMessage {
  /** Who wrote it. */
  name: string;
  /** Milliseconds since 1970; NaN if that is not known. */
  time: number;
  /** Markdown. */
  text: string;
  /** The names of attached files, which are not read. */
  attachments: readonly string[];
}

/** Messages that belong together, in order. */
export interface Conversation {
  /** Empty if it has none. */
  title: string;
  messages: readonly ChatMessage[];
}

/** Names are limited because they are repeated with every message. */
const MAX_NAME_LENGTH = 100;

function messageText({ name, time, text, attachments }: ChatMessage): string {
  const files = attachments.map(oneLine).filter((file) => file !== '');
  const lines = [text.trim(), ...files.map((file) => `Attachment: ${file}`)].filter((line) => line !== '');
  if (lines.length === 0) return '';
  const minute = minuteOf(time);
  const head = `**${oneLine(name).slice(0, MAX_NAME_LENGTH)}**${minute === null ? '' : ` (${minute})`}:`;
  // In one block, so that cutting does not separate the text from its author.
  return withoutHeadings([head, ...lines].join('\n'));
}

function conversationPart({ title, messages }: Conversation): DocumentPart | null {
  const text = joinBlocks(messages.map(messageText));
  return text === '' ? null : { text: joinBlocks([headingLine(title), text]), place: null };
}

/** Makes a part of each conversation that has text. If there is only one, the document has its title. */
export function chatExtraction(conversations: readonly Conversation[]): Extraction {
  const [only, ...more] = conversations;
  const title = only === undefined || more.length > 0 ? '' : oneLine(only.title);
  return {
    title: title === '' ? null : title,
    parts: conversations.map(conversationPart).filter((part) => part !== null),
  };
}
