import type { Extraction } from '../extraction.ts';
import type { JsonValue } from '../json/json-value.ts';
import { type Conversation, chatExtraction } from './chat-text.ts';
import { readChatGpt } from './chatgpt-export.ts';
import { readClaude } from './claude-export.ts';
import { readSlack } from './slack-export.ts';

/** Each knows its own export by its shape. */
const READERS: readonly ((value: JsonValue) => Conversation[] | null)[] = [
  readSlack,
  readChatGpt,
  readClaude,
];

/** The conversations of a chat's export, each a part; null for other JSON. */
export function readChatExport(value: JsonValue): Extraction | null {
  for (const read of READERS) {
    const conversations = read(value);
    if (conversations !== null) return chatExtraction(conversations);
  }
  return null;
}
