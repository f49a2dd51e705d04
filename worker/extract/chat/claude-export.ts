import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsUnder,
  textUnder,
} from '../json/json-value.ts';
import type { ChatMessage, Conversation } from './chat-text.ts';

const NAMES: Readonly<Record<string, string>> = { human: 'User', assistant: 'Claude' };

function isConversation(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Array.isArray(value.chat_messages) && value.chat_messages.every(isJsonObject);
}

function readMessage(message: JsonObject): ChatMessage | null {
  const name = NAMES[textUnder(message, 'sender')];
  if (name === undefined) return null;
  const content = objectsUnder(message, 'content');
  const texts = content.filter((block) => textUnder(block, 'type') === 'text');
  const attachments = objectsUnder(message, 'attachments');
  return {
    name,
    time: Date.parse(textUnder(message, 'created_at')),
    // `text` also mentions tool calls, so the blocks are preferred. Older exports have only `text`.
    text: [
      content.length > 0
        ? texts.map((block) => textUnder(block, 'text')).join('\n\n')
        : textUnder(message, 'text'),
      // Text that was pasted or came from a file. The export contains it, so no file is opened.
      ...attachments.map((file) => textUnder(file, 'extracted_content')),
    ]
      .filter((text) => text.trim() !== '')
      .join('\n\n'),
    attachments: [...attachments, ...objectsUnder(message, 'files')].map((file) =>
      textUnder(file, 'file_name'),
    ),
  };
}

/** Reads the export of Claude: one conversation or an array of them. Null for other JSON. */
export function readClaude(value: JsonValue): Conversation[] | null {
  const conversations = Array.isArray(value) ? value : [value];
  if (conversations.length === 0 || !conversations.every(isConversation)) return null;
  return conversations.map((conversation) => ({
    title: textUnder(conversation, 'name'),
    messages: objectsUnder(conversation, 'chat_messages')
      .map(readMessage)
      .filter((message) => message !== null),
  }));
}
