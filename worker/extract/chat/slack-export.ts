import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsUnder,
  objectUnder,
  textUnder,
} from '../json/json-value.ts';
import type { ChatMessage, Conversation } from './chat-text.ts';
import { resolveSlackMarkup } from './slack-markup.ts';

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

function readMessage(message: JsonObject, names: ReadonlyMap<string, string>): ChatMessage {
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
export function readSlack(value: JsonValue): Conversation[] | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isMessage)) return null;
  const names = namesOf(value);
  const said = value.filter((message) => !SYSTEM_SUBTYPE.test(textUnder(message, 'subtype')));
  // The file contains neither the channel nor the day.
  return [{ title: '', messages: byThread(said).map((message) => readMessage(message, names)) }];
}
