import { type Extractor, FileFault } from '../extraction.ts';
import { type JsonValue, parseJson } from '../json/json-value.ts';
import { decodeText } from '../text/text-encoding.ts';
import { addJson } from './json-records.ts';
import { RecordText } from './record-text.ts';

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
  const text = decodeText(content);
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
  return { title: null, parts: [{ text: out.toString(), place: null }] };
};
