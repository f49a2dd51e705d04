import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import type { Extraction } from '../extraction.ts';
import { headingLine, joinBlocks, minuteOf, oneLine, withoutHeadings } from '../text/markdown-text.ts';

/** One message of a chat, as people saw it. */
export interface ChatMessage {
  /** Who wrote it. */
  name: string;
  /** Milliseconds since 1970; NaN if that is not known. */
  time: number;
  /** Markdown. */
  text: string;
  /** Names of files that came with it; they are not read. */
  attachments: readonly string[];
}

/** Messages that belong together, in order. */
export interface Conversation {
  /** Empty if it has none. */
  title: string;
  messages: readonly ChatMessage[];
}

/** A name is repeated with every message. */
const MAX_NAME_LENGTH = 100;

function messageText({ name, time, text, attachments }: ChatMessage): string {
  const files = attachments.map(oneLine).filter((file) => file !== '');
  const lines = [text.trim(), ...files.map((file) => `Attachment: ${file}`)].filter((line) => line !== '');
  if (lines.length === 0) return '';
  const minute = minuteOf(time);
  const head = `**${oneLine(name).slice(0, MAX_NAME_LENGTH)}**${minute === null ? '' : ` (${minute})`}:`;
  // Together: the text must not be cut from who said it.
  return withoutHeadings([head, ...lines].join('\n'));
}

function conversationPart({ title, messages }: Conversation): DocumentPart | null {
  const text = joinBlocks(messages.map(messageText));
  return text === '' ? null : { text: joinBlocks([headingLine(title), text]), page: null };
}

/** Conversations as parts of a document, without those that say nothing. Its title is that of a single one. */
export function chatExtraction(conversations: readonly Conversation[]): Extraction {
  const [only, ...more] = conversations;
  const title = only === undefined || more.length > 0 ? '' : oneLine(only.title);
  return {
    title: title === '' ? null : title,
    parts: conversations.map(conversationPart).filter((part) => part !== null),
  };
}
