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

/** Seconds since 1970, with the number that tells messages of one second apart. */
const TIMESTAMP = /^\d+\.\d+$/;

/** Who came, left, or changed a setting: not what people said. */
const SYSTEM_SUBTYPE =
  /(?:_join|_leave|_archive|_unarchive|_name|_add|_remove|_convert_to_private|_posting_permissions)$|^(?:pinned_item|unpinned_item|tombstone)$/;

function isMessage(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && value.type === 'message' && TIMESTAMP.test(textUnder(value, 'ts'));
}

/** The first of these keys that says something. */
function firstText(object: JsonObject, ...keys: string[]): string {
  return keys.map((key) => textUnder(object, key)).find((text) => text.trim() !== '') ?? '';
}

/** Names by user, as far as the messages of the file tell them. */
function namesOf(messages: readonly JsonObject[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    const name = firstText(objectUnder(message, 'user_profile'), 'display_name', 'real_name', 'name');
    if (name !== '') names.set(textUnder(message, 'user'), name);
  }
  return names;
}

/** All that stands under a key `text` anywhere in a block: messages of apps often say nothing elsewhere. */
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
  // What an app attached, or a link's preview.
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

/** The messages of each thread together, where its first one stood. */
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

/** A file of an export of Slack: the messages of a channel on one day. Null for other JSON. */
export function readSlack(value: JsonValue): Conversation[] | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isMessage)) return null;
  const names = namesOf(value);
  const said = value.filter((message) => !SYSTEM_SUBTYPE.test(textUnder(message, 'subtype')));
  // Neither the channel nor the day stands in the file.
  return [{ title: '', messages: byThread(said).map((message) => readMessage(message, names)) }];
}
