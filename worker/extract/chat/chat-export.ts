import type { Extraction } from '../extraction.ts';
import type { JsonValue } from '../json/json-value.ts';
import { type Conversation, chatExtraction } from './chat-text.ts';
import { readChatGpt } from './chatgpt-export.ts';
import { readClaude } from './claude-export.ts';
import { readSlack } from './slack-export.ts';

/** Each reader recognizes its own export by the structure of the JSON. */
const READERS: readonly ((value: JsonValue) => Conversation[] | null)[] = [
  readSlack,
  readChatGpt,
  readClaude,
];

/** Reads the export of a chat service: each conversation is a part. Null for other JSON. */
export function readChatExport(value: JsonValue): Extraction | null {
  for (const read of READERS) {
    const conversations = read(value);
    if (conversations !== null) return chatExtraction(conversations);
  }
  return null;
}
