import type { JsonValue } from '../json/json-value.ts';
import type { RecordText } from './record-text.ts';

type Container = Exclude<JsonValue, string | boolean | null>;

/** Scalars up to this length are put on one line. */
const SHORT = 200;

function isContainer(value: JsonValue): value is Container {
  return typeof value === 'object' && value !== null;
}

function scalarText(value: string | boolean | null): string {
  return value === null ? '' : String(value);
}

function isShort(value: JsonValue): value is string | boolean | null {
  return (
    !isContainer(value) && (typeof value !== 'string' || (value.length <= SHORT && !value.includes('\n')))
  );
}

function addItems(out: RecordText, path: string, items: readonly JsonValue[], isRecord: boolean): void {
  if (items.every(isShort)) {
    const texts = items.map(scalarText).filter((text) => text.trim() !== '');
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
 * @throws FileFault `too_many_chunks`
 */
export function addJson(out: RecordText, path: string, value: JsonValue, isRecord: boolean): void {
  if (!isContainer(value)) {
    out.add(path, scalarText(value));
  } else if (Array.isArray(value)) {
    addItems(out, path, value, isRecord);
  } else {
    for (const [key, member] of Object.entries(value)) {
      const isBlock = !isRecord && isContainer(member);
      if (isBlock) out.end();
      addJson(out, path === '' ? key : `${path}.${key}`, member, isRecord);
      if (isBlock) out.end();
    }
  }
}
