import { readChatExport } from '../chat/chat-export.ts';
import type { Extractor } from '../extraction.ts';
import { addJson } from '../tabular/json-records.ts';
import { RecordText } from '../tabular/record-text.ts';
import { decodeText } from '../text/text-encoding.ts';
import { parseJson } from './json-value.ts';

/**
 * Reads JSON: the export of a chat as conversations, anything else as lines `path: value`, with an empty line between
 * records.
 * @throws FileFault `invalid_json`, `too_deep`, `too_many_chunks` and those of `decodeText`
 */
export const extractJson: Extractor = (content, report) => {
  const value = parseJson(decodeText(content));
  report(0.5);
  const chat = readChatExport(value);
  if (chat !== null) return chat;
  const out = new RecordText();
  addJson(out, '', value, false);
  return { title: null, parts: [{ text: out.toString(), place: null }] };
};
