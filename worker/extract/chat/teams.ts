import { saysHtml, textOfValue } from '../json/html-values.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsUnder,
  objectUnder,
  textUnder,
} from '../json/json-value.ts';
import type { ChatMessage, Conversation } from './conversation.ts';

/** Reads the messages of Microsoft Teams, as its programming interface and its exports have them, and those of Skype. */

function isTeamsMessage(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !isJsonObject(value.body)) return false;
  return typeof value.body.content === 'string' && typeof value.createdDateTime === 'string';
}

/** The name of the person or the program that sent a message. */
function senderOf(message: JsonObject): string {
  const from = objectUnder(message, 'from');
  const senders = ['user', 'application', 'device'].map((kind) => objectUnder(from, kind));
  return senders.map((sender) => textUnder(sender, 'displayName')).find((name) => name !== '') ?? 'Unknown';
}

function readTeamsMessage(message: JsonObject): ChatMessage {
  const body = objectUnder(message, 'body');
  const subject = textUnder(message, 'subject');
  const text = textOfValue(textUnder(body, 'content'), saysHtml(body));
  return {
    name: senderOf(message),
    time: Date.parse(textUnder(message, 'createdDateTime')),
    text: [subject, text].filter((each) => each.trim() !== '').join('\n'),
    attachments: objectsUnder(message, 'attachments').map((file) => textUnder(file, 'name')),
  };
}

/** A message, followed by its replies. */
function withReplies(message: JsonObject): JsonObject[] {
  return [message, ...objectsUnder(message, 'replies').filter(isTeamsMessage)];
}

/** Reads messages of Teams: an array, or one under `messages` or `value`. Null for other JSON. */
export function readTeams(value: JsonValue): Conversation[] | null {
  const list = isJsonObject(value) ? (value.messages ?? value.value) : value;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isTeamsMessage)) return null;
  const title = isJsonObject(value) ? textUnder(value, 'topic') || textUnder(value, 'displayName') : '';
  const said = list.filter((message) => textUnder(message, 'messageType') !== 'systemEventMessage');
  return [{ title, messages: said.flatMap(withReplies).map(readTeamsMessage) }];
}

const isSkypeConversation = (value: JsonValue): value is JsonObject =>
  isJsonObject(value) && Array.isArray(value.MessageList);

function readSkypeMessage(message: JsonObject): ChatMessage | null {
  const kind = textUnder(message, 'messagetype');
  if (kind !== '' && !/^(?:RichText|Text)/i.test(kind)) return null;
  const isMarkup = /^RichText/i.test(kind);
  return {
    name: textUnder(message, 'displayName') || textUnder(message, 'from').replace(/^\d+:/, '') || 'Unknown',
    time: Date.parse(textUnder(message, 'originalarrivaltime')),
    text: textOfValue(textUnder(message, 'content'), isMarkup),
    attachments: [],
  };
}

/** Reads the export of Skype, which that of a person's Teams is like. Null for other JSON. */
export function readSkype(value: JsonValue): Conversation[] | null {
  if (!isJsonObject(value) || !Array.isArray(value.conversations)) return null;
  const { conversations } = value;
  if (conversations.length === 0 || !conversations.every(isSkypeConversation)) return null;
  return conversations.map((conversation) => ({
    title: textUnder(conversation, 'displayName'),
    messages: objectsUnder(conversation, 'MessageList')
      .map(readSkypeMessage)
      .filter((message) => message !== null),
  }));
}
