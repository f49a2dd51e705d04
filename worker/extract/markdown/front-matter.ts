import { parse } from 'yaml';
import { addJson } from '../json/json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { existingDay } from '../properties/days.ts';
import { RecordText } from '../record-text.ts';
import { oneLine, withoutHeadings } from '../text.ts';

/** What the front matter of a document tells: the fields between two lines `---` or `+++` at its beginning. */
export interface FrontMatter {
  title: string | null;
  /** `YYYY-MM-DD` */
  date: string | null;
  /** Its fields as lines `field: value`. */
  fields: string;
  /** The document without it. */
  body: string;
}

/** A longer front matter is text. */
const MAX_LENGTH = 64 * 1024;
/** Values that refer to others are expanded at most as often. */
const MAX_ALIASES = 20;

const YAML_FENCE = /^---[ \t]*\n/;
const YAML_END = /^(?:---|\.\.\.)[ \t]*$/m;
const TOML_FENCE = /^\+\+\+[ \t]*\n/;
const TOML_END = /^\+\+\+[ \t]*$/m;

/** The fields of YAML as texts, so that no number or date loses its form. Null if it is no YAML, or no mapping. */
function readYaml(source: string): JsonObject | null {
  try {
    const value = parse(source, {
      schema: 'failsafe',
      maxAliasCount: MAX_ALIASES,
      uniqueKeys: false,
      logLevel: 'error',
    }) as JsonValue;
    return isJsonObject(value) ? value : null;
  } catch {
    // The library throws for what is not YAML, and overflows the stack for what is nested too deeply.
    return null;
  }
}

const YAML_LINE = /^([\w-]+):(?:[ \t](.*))?$/;

/** The fields of YAML that a person has written with a mistake, such as a colon in a title without quotation marks. */
function readYamlLines(source: string): JsonObject | null {
  const lines = source.split('\n').filter((line) => line.trim() !== '');
  if (!YAML_LINE.test(lines[0] ?? '')) return null;
  const fields = lines.flatMap((line) => {
    const [, key, value = ''] = YAML_LINE.exec(line) ?? [];
    return key === undefined ? [] : [[key, value.trim().replace(/^(["'])(.*)\1$/, '$2')] as const];
  });
  return Object.fromEntries(fields);
}

const TOML_LINE = /^[ \t]*([\w.-]+|"[^"]*")[ \t]*=[ \t]*(\S.*)$/;
const TOML_TEXT = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/;

function tomlValue(source: string): string {
  const text = TOML_TEXT.exec(source);
  if (text !== null) return (text[1] ?? text[2] ?? '').replace(/\\(.)/g, '$1');
  const list = /^\[([^[\]]*)\]/.exec(source)?.[1];
  if (list === undefined) return source.replace(/\s#.*/, '').trim();
  const items = list.split(',').map((item) => item.trim().replace(/^["']|["']$/g, ''));
  return items.filter((item) => item !== '').join(', ');
}

/** The fields of TOML that are on one line, which those of front matter are. */
function readToml(source: string): JsonObject {
  const fields = source.split('\n').flatMap((line) => {
    const [, key, value] = TOML_LINE.exec(line) ?? [];
    return key === undefined || value === undefined
      ? []
      : [[key.replaceAll('"', ''), tomlValue(value)] as const];
  });
  return Object.fromEntries(fields);
}

/** The text of the first of these fields that has one, whatever the case of its name. */
function fieldOf(fields: JsonObject, ...names: readonly string[]): string {
  const entries = Object.entries(fields);
  for (const name of names) {
    const [, value] = entries.find(([key]) => key.toLowerCase() === name) ?? [];
    if (typeof value === 'string' && value.trim() !== '') return oneLine(value);
  }
  return '';
}

function linesOf(fields: JsonObject): string | null {
  try {
    const out = new RecordText();
    addJson(out, '', fields, true);
    return out.toString();
  } catch {
    // It is nested too deeply.
    return null;
  }
}

/**
 * Reads the front matter of a document.
 * @param text with line breaks `\n`
 * @returns null if the document has none, or one that cannot be read
 */
export function readFrontMatter(text: string): FrontMatter | null {
  const isYaml = YAML_FENCE.test(text);
  const start = (isYaml ? YAML_FENCE : TOML_FENCE).exec(text)?.[0].length ?? 0;
  if (start === 0) return null;
  const rest = text.slice(start, start + MAX_LENGTH);
  const end = (isYaml ? YAML_END : TOML_END).exec(rest);
  if (end === null) return null;
  const source = rest.slice(0, end.index);
  const fields = isYaml ? readYaml(source) : readToml(source);
  const named = fields ?? readYamlLines(source);
  const lines = fields === null ? withoutHeadings(source.trim()) : linesOf(fields);
  if (named === null || lines === null) return null;
  return {
    title: fieldOf(named, 'title') || null,
    date: existingDay(fieldOf(named, 'date', 'pubdate', 'publishdate', 'created').replaceAll('/', '-')),
    fields: lines,
    body: text.slice(start + end.index + end[0].length),
  };
}
