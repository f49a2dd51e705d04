import { readChatExport } from '../chat/chat-export.ts';
import { decodeText } from '../encoding/decode.ts';
import { type Extractor, FileFault } from '../extraction.ts';
import { RecordText } from '../record-text.ts';
import { withoutTerminalCodes } from '../terminal-text.ts';
import { saysHtml, textOfValue } from './html-values.ts';
import { type JsonValue, parseJson } from './json-value.ts';

type Container = Exclude<JsonValue, string | boolean | null>;

/** Scalars up to this length are put on one line. */
const SHORT = 200;

function isContainer(value: JsonValue): value is Container {
  return typeof value === 'object' && value !== null;
}

/** @param isHtml whether the object of the value says that it is HTML */
function scalarText(value: string | boolean | null, isHtml = false): string {
  return value === null ? '' : withoutTerminalCodes(textOfValue(String(value), isHtml));
}

function isShort(value: JsonValue): value is string | boolean | null {
  return (
    !isContainer(value) && (typeof value !== 'string' || (value.length <= SHORT && !value.includes('\n')))
  );
}

function addItems(out: RecordText, path: string, items: readonly JsonValue[], isRecord: boolean): void {
  if (items.every(isShort)) {
    const texts = items.map((item) => scalarText(item)).filter((text) => text.trim() !== '');
    out.add(path, texts.join(', '));
    return;
  }
  for (const [index, item] of items.entries()) {
    if (isRecord) {
      // Within a record, the index shows which values belong to the same object.
      addJson(out, isContainer(item) && !Array.isArray(item) ? `${path}[${index}]` : path, item, true);
    } else {
      out.end();
      addJson(out, path, item, true);
      out.end();
    }
  }
}

/**
 * Adds a JSON value as lines `path: value`. The path consists of the keys, joined by dots. The items of an array are
 * records, and so are objects that are not part of a record.
 * @param isRecord whether the value is part of one record
 * @param isHtml whether the object of the value says that it is HTML
 * @throws FileFault `too_many_chunks`
 */
export function addJson(
  out: RecordText,
  path: string,
  value: JsonValue,
  isRecord: boolean,
  isHtml = false,
): void {
  if (!isContainer(value)) {
    out.add(path, scalarText(value, isHtml));
  } else if (Array.isArray(value)) {
    addItems(out, path, value, isRecord);
  } else {
    const hasHtml = saysHtml(value);
    for (const [key, member] of Object.entries(value)) {
      const isBlock = !isRecord && isContainer(member);
      if (isBlock) out.end();
      addJson(out, path === '' ? key : `${path}.${key}`, member, isRecord, hasHtml);
      if (isBlock) out.end();
    }
  }
}

/**
 * Reads JSON: the export of a chat as conversations, anything else as lines `path: value`, with an empty line between
 * records.
 * @throws FileFault `invalid_json`, `too_deep`, `too_many_chunks` and those of `decodeText`
 */
export const extractJson: Extractor = (content, report) => {
  const { text, encoding } = decodeText(content);
  const value = parseJson(text);
  report(0.5);
  const chat = readChatExport(value);
  if (chat !== null) return { ...chat, encoding };
  const out = new RecordText();
  addJson(out, '', value, false);
  return { title: null, parts: [{ text: out.toString(), place: null }], encoding };
};

function parseLine(line: string, number: number): JsonValue {
  try {
    return parseJson(line);
  } catch (error) {
    if (!(error instanceof FileFault) || error.code !== 'invalid_json') throw error;
    throw new FileFault(
      'invalid_json',
      `Line ${number} is not valid JSON: every line must hold one whole value.`,
    );
  }
}

/**
 * Reads a JSON value from each line. Each is a record, as in a JSON file. Blank lines are left out.
 * @throws FileFault `invalid_json`, `too_deep`, `too_many_chunks` and those of `decodeText`
 */
export const extractJsonLines: Extractor = (content, report) => {
  const { text, encoding } = decodeText(content);
  const out = new RecordText();
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    number += 1;
    start = end + 1;
    if (line.trim() === '') continue;
    addJson(out, '', parseLine(line, number), true);
    out.end();
    report(end / text.length);
  }
  return { title: null, parts: [{ text: out.toString(), place: null }], encoding };
};
