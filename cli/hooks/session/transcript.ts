import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseRecord } from '../../client/private-file.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { withoutRecall } from '../recall/recall-block.ts';

/** What a person or their agent has said in a session. */
export interface Message {
  speaker: 'Person' | 'Agent';
  text: string;
  /** When, in ISO 8601; null if the transcript does not say. */
  at: string | null;
}

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** The text of a content: a string, or the blocks of text in a list. Calls of tools and their results are not text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(fields)
    .filter(({ type }) => type === 'text' || type === 'output_text')
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n');
}

/** What Claude Code itself writes into a session as if the person had: commands and what they print. */
const LOCAL_COMMAND = /^\s*<(?:command-|local-command-|bash-)/;

/** A record of Claude Code: `{ type, message: { content } }`. Those of subagents and of the program itself are left out. */
function fromClaudeCode(record: Fields): Omit<Message, 'at'> | null {
  const { type, isMeta, isSidechain, isCompactSummary } = record;
  if (isMeta === true || isSidechain === true || isCompactSummary === true) return null;
  const text = textOf(fields(record['message'])['content']);
  if (type === 'assistant') return { speaker: 'Agent', text };
  return type === 'user' && !LOCAL_COMMAND.test(text) ? { speaker: 'Person', text } : null;
}

/**
 * A record of Codex: `{ type, payload }`. What a person has written is in the events, because the items for the model
 * also contain instructions that Codex adds in the person's name.
 */
function fromCodex({ type, payload: given }: Fields): Omit<Message, 'at'> | null {
  const payload = fields(given);
  if (type === 'event_msg' && payload['type'] === 'user_message')
    return { speaker: 'Person', text: textOf(payload['message']) };
  const isAnswer = payload['type'] === 'message' && payload['role'] === 'assistant';
  return type === 'response_item' && isAnswer ? { speaker: 'Agent', text: textOf(payload['content']) } : null;
}

function parseMessage(line: string): Message | null {
  const record = parseRecord(line);
  if (record === null) return null;
  const message = 'payload' in record ? fromCodex(record) : fromClaudeCode(record);
  const text = withoutRecall(message?.text ?? '').trim();
  if (message === null || text === '') return null;
  const { timestamp } = record;
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return { ...message, text, at: Number.isNaN(time) ? null : new Date(time).toISOString() };
}

/**
 * Reads the messages of a transcript, JSON Lines of Claude Code or Codex, without what hooks have added. Neither agent
 * promises its format, so a line of another form is left out. The list only grows while a session goes on.
 * @throws CommandError if the file cannot be read
 */
export async function readTranscript(path: string): Promise<Message[]> {
  const messages: Message[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      const message = parseMessage(line);
      if (message !== null) messages.push(message);
    }
  } catch (error) {
    throw new CommandError(
      `the transcript cannot be read (${(error as NodeJS.ErrnoException).code}): ${path}`,
    );
  }
  return messages;
}
