import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsUnder,
  objectUnder,
  textUnder,
} from '../json/json-value.ts';
import type { ChatMessage, Conversation } from './chat-text.ts';

const NAMES: Readonly<Record<string, string>> = { user: 'User', assistant: 'ChatGPT' };

/** The content types of messages for people. Other types are tool calls, their results, and reasoning. */
const CONTENT_TYPES = ['text', 'multimodal_text'];

function isConversation(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !isJsonObject(value.mapping)) return false;
  const nodes = Object.values(value.mapping);
  return nodes.every((node) => isJsonObject(node) && ('message' in node || 'parent' in node));
}

/** The last node of the branch that was shown last. If the export does not name it, the latest end of a branch. */
function lastNode(conversation: JsonObject, mapping: JsonObject): string {
  const current = textUnder(conversation, 'current_node');
  if (Object.hasOwn(mapping, current)) return current;
  const ends = Object.keys(mapping).filter((id) => {
    const { children } = objectUnder(mapping, id);
    return !Array.isArray(children) || children.length === 0;
  });
  const timeOf = (id: string) =>
    Number(textUnder(objectUnder(objectUnder(mapping, id), 'message'), 'create_time'));
  return ends.reduce((best, id) => (timeOf(id) >= timeOf(best) ? id : best), ends[0] ?? '');
}

/** The messages from the root down to a node, in this order. */
function branch(mapping: JsonObject, last: string): JsonObject[] {
  const messages: JsonObject[] = [];
  const seen = new Set<string>();
  for (let id = last; Object.hasOwn(mapping, id) && !seen.has(id); ) {
    seen.add(id);
    const node = objectUnder(mapping, id);
    messages.push(objectUnder(node, 'message'));
    id = textUnder(node, 'parent');
  }
  return messages.reverse();
}

function readMessage(message: JsonObject): ChatMessage | null {
  const name = NAMES[textUnder(objectUnder(message, 'author'), 'role')];
  const content = objectUnder(message, 'content');
  const metadata = objectUnder(message, 'metadata');
  if (name === undefined || !CONTENT_TYPES.includes(textUnder(content, 'content_type'))) return null;
  if (metadata.is_visually_hidden_from_conversation === true) return null;
  const parts = Array.isArray(content.parts) ? content.parts : [];
  const time = textUnder(message, 'create_time');
  return {
    name,
    time: time === '' ? Number.NaN : Number(time) * 1000,
    text: parts.filter((part) => typeof part === 'string').join('\n\n'),
    attachments: objectsUnder(metadata, 'attachments').map((file) => textUnder(file, 'name')),
  };
}

/**
 * Reads the export of ChatGPT: one conversation or an array of them. If a message has several versions, the one that
 * was shown last is used. Null for other JSON.
 */
export function readChatGpt(value: JsonValue): Conversation[] | null {
  const conversations = Array.isArray(value) ? value : [value];
  if (conversations.length === 0 || !conversations.every(isConversation)) return null;
  return conversations.map((conversation) => {
    const mapping = objectUnder(conversation, 'mapping');
    const messages = branch(mapping, lastNode(conversation, mapping)).map(readMessage);
    return {
      title: textUnder(conversation, 'title'),
      messages: messages.filter((message) => message !== null),
    };
  });
}
