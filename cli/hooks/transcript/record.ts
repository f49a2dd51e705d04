import { type Fields, fields } from '../../client/private-file.ts';

/** What a person or their agent has said in a session. */
export interface Message {
  speaker: 'Person' | 'Agent';
  text: string;
  /** When, in ISO 8601; null if the transcript does not say. */
  at: string | null;
}

/** What a reader makes of one record. */
export interface Reading {
  messages: Message[];
  /** The types of a record that the reader does not know, from the outside to the inside; null if it knows them. */
  unknownForm: string | null;
}

/** Reads the records of one transcript, in their order. */
export interface RecordReader {
  read: (record: Fields, at: string | null) => Reading;
  /** Ends the reading. Returns the messages for which the reader has waited for the next record. */
  end: () => Message[];
}

/** A record that says nothing. */
export const SILENT: Reading = { messages: [], unknownForm: null };

/** A text field; '' if it is not a text. */
export const textField = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A name of a type as it can be shown: it is never what was said. */
const typeName = (type: unknown) => (/^[\w-]{1,60}$/.test(textField(type)) ? textField(type) : 'unnamed');

/** A reading of a record that is not known. */
export function unknown(...types: readonly unknown[]): Reading {
  return { messages: [], unknownForm: types.map(typeName).join('/') };
}

/** The types of blocks of text: `text`, `input_text`, `output_text`, and `Text` in the items of Codex. */
const TEXT_BLOCKS = ['text', 'input_text', 'output_text'];

/** The texts of a content: of a string, or of the blocks of a list. Calls of tools and their results are not text. */
export function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content
    .map(fields)
    .filter(({ type }) => TEXT_BLOCKS.includes(textField(type).toLowerCase()))
    .map(({ text }) => textField(text));
}

/** The type of the first part of a content that contains text in a form that is not known; null if all are known. */
export function unknownPart(content: unknown): string | null {
  if (content === undefined || content === null || typeof content === 'string') return null;
  if (!Array.isArray(content)) return hasText(content) ? 'object' : null;
  const found = content
    .map(fields)
    .find(({ type, text }) => hasText(text) && !TEXT_BLOCKS.includes(textField(type).toLowerCase()));
  return found === undefined ? null : typeName(found['type']);
}

/** The fields in which programs write what was said. */
const TEXT_FIELDS = ['text', 'message', 'content', 'prompt', 'item', 'payload'];

/** How deep in a record the text is searched for. */
const MAX_DEPTH = 8;

/** Whether a value of a record contains text where programs write what was said. */
export function hasText(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return false;
  const parts = Array.isArray(value) ? value : TEXT_FIELDS.map((name) => fields(value)[name]);
  return parts.some((part) => hasText(part, depth + 1));
}
