import type { Extraction } from '../extraction.ts';
import { decodeReferences } from '../html/entities.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsUnder,
  objectUnder,
  textUnder,
} from '../json/json-value.ts';
import { type ChatMessage, type Conversation, chatExtraction } from './conversation.ts';
import { readSkype, readTeams } from './teams.ts';

const CHATGPT_NAMES: Readonly<Record<string, string>> = { user: 'User', assistant: 'ChatGPT' };

/** The content types of messages for people. Other types are tool calls, their results, and reasoning. */
const CONTENT_TYPES = ['text', 'multimodal_text'];

function isChatgptConversation(value: JsonValue): value is JsonObject {
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

function readChatgptMessage(message: JsonObject): ChatMessage | null {
  const name = CHATGPT_NAMES[textUnder(objectUnder(message, 'author'), 'role')];
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
function readChatGpt(value: JsonValue): Conversation[] | null {
  const conversations = Array.isArray(value) ? value : [value];
  if (conversations.length === 0 || !conversations.every(isChatgptConversation)) return null;
  return conversations.map((conversation) => {
    const mapping = objectUnder(conversation, 'mapping');
    const messages = branch(mapping, lastNode(conversation, mapping)).map(readChatgptMessage);
    return {
      title: textUnder(conversation, 'title'),
      messages: messages.filter((message) => message !== null),
    };
  });
}

const CLAUDE_NAMES: Readonly<Record<string, string>> = { human: 'User', assistant: 'Claude' };

function isClaudeConversation(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Array.isArray(value.chat_messages) && value.chat_messages.every(isJsonObject);
}

function readClaudeMessage(message: JsonObject): ChatMessage | null {
  const name = CLAUDE_NAMES[textUnder(message, 'sender')];
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
function readClaude(value: JsonValue): Conversation[] | null {
  const conversations = Array.isArray(value) ? value : [value];
  if (conversations.length === 0 || !conversations.every(isClaudeConversation)) return null;
  return conversations.map((conversation) => ({
    title: textUnder(conversation, 'name'),
    messages: objectsUnder(conversation, 'chat_messages')
      .map(readClaudeMessage)
      .filter((message) => message !== null),
  }));
}

/** `<…>` in a message of Slack: a person, a channel, a group, a date or a link, perhaps with a label. */
const REFERENCE = /<([^<>\n]*)>/g;

const bare = (address: string) => address.replace(/^(?:mailto|tel):/, '');

function resolveReference(reference: string, names: ReadonlyMap<string, string>): string {
  const bar = reference.indexOf('|');
  const target = bar < 0 ? reference : reference.slice(0, bar);
  const label = bar < 0 ? '' : reference.slice(bar + 1);
  const id = target.slice(1);
  switch (target.charAt(0)) {
    case '@':
      return `@${names.get(id) ?? (label || id)}`;
    case '#':
      return `#${label || id}`;
    case '!':
      return label || `@${id.replace(/^subteam\^/, '')}`;
    default:
      return label === '' || label === bare(target) ? bare(target) : `${label} (${bare(target)})`;
  }
}

/**
 * Replaces the markup of a Slack message by the text that people saw.
 * @param names the names of users, by id
 */
function resolveSlackMarkup(text: string, names: ReadonlyMap<string, string>): string {
  return decodeReferences(
    text.replace(REFERENCE, (_, reference: string) => resolveReference(reference, names)),
  );
}

/** Seconds since 1970, with a number that distinguishes messages of the same second. */
const TIMESTAMP = /^\d+\.\d+$/;

/** Messages of the system, about people who join or leave and about settings. */
const SYSTEM_SUBTYPE =
  /(?:_join|_leave|_archive|_unarchive|_name|_add|_remove|_convert_to_private|_posting_permissions)$|^(?:pinned_item|unpinned_item|tombstone)$/;

function isMessage(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && value.type === 'message' && TIMESTAMP.test(textUnder(value, 'ts'));
}

/** The value of the first of these keys that is not empty. */
function firstText(object: JsonObject, ...keys: string[]): string {
  return keys.map((key) => textUnder(object, key)).find((text) => text.trim() !== '') ?? '';
}

/** The names of users by id, as far as the messages of the file contain them. */
function namesOf(messages: readonly JsonObject[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    const name = firstText(objectUnder(message, 'user_profile'), 'display_name', 'real_name', 'name');
    if (name !== '') names.set(textUnder(message, 'user'), name);
  }
  return names;
}

/** All values of keys `text` anywhere in a block: messages of apps often have their text only there. */
function* blockTexts(value: JsonValue | undefined): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* blockTexts(item);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (key === 'text' && typeof member === 'string') yield member;
      else yield* blockTexts(member);
    }
  }
}

function textOf(message: JsonObject): string {
  const own = textUnder(message, 'text').trim();
  // The attachment of an app, or the preview of a link.
  const attached = objectsUnder(message, 'attachments').flatMap((attachment) => {
    const texts = ['pretext', 'title', 'text'].map((key) => textUnder(attachment, key));
    return texts.some((text) => text.trim() !== '') ? texts : [textUnder(attachment, 'fallback')];
  });
  const said = [own === '' ? [...blockTexts(message.blocks)].join('\n') : own, ...attached];
  return said.filter((text) => text.trim() !== '').join('\n');
}

function readSlackMessage(message: JsonObject, names: ReadonlyMap<string, string>): ChatMessage {
  const user = textUnder(message, 'user');
  return {
    name:
      names.get(user) ??
      (firstText(message, 'username') ||
        firstText(objectUnder(message, 'bot_profile'), 'name') ||
        user ||
        'Unknown'),
    time: Number(textUnder(message, 'ts')) * 1000,
    text: resolveSlackMarkup(textOf(message), names),
    attachments: objectsUnder(message, 'files').map((file) => firstText(file, 'name', 'title')),
  };
}

/** Groups the messages of each thread, at the position of its first message. */
function byThread(messages: readonly JsonObject[]): JsonObject[] {
  const threads = new Map<string, JsonObject[]>();
  for (const message of messages) {
    const thread = textUnder(message, 'thread_ts') || textUnder(message, 'ts');
    const known = threads.get(thread);
    if (known === undefined) threads.set(thread, [message]);
    else known.push(message);
  }
  return [...threads.values()].flat();
}

/** Reads a file of a Slack export: the messages of a channel on one day. Null for other JSON. */
function readSlack(value: JsonValue): Conversation[] | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isMessage)) return null;
  const names = namesOf(value);
  const said = value.filter((message) => !SYSTEM_SUBTYPE.test(textUnder(message, 'subtype')));
  // The file contains neither the channel nor the day.
  return [{ title: '', messages: byThread(said).map((message) => readSlackMessage(message, names)) }];
}

/** Each reader recognizes its own export by the structure of the JSON. */
const READERS: readonly ((value: JsonValue) => Conversation[] | null)[] = [
  readSlack,
  readChatGpt,
  readClaude,
  readTeams,
  readSkype,
];

/** Reads the export of a chat service: each conversation is a part. Null for other JSON. */
export function readChatExport(value: JsonValue): Extraction | null {
  for (const read of READERS) {
    const conversations = read(value);
    if (conversations !== null) return chatExtraction(conversations);
  }
  return null;
}
