import type { TObject, TSchema } from 'typebox';
import { invalidField } from '../../../shared/errors.ts';
import { isDeeper, JsonShape, MAX_DEPTH } from '../../bodies/json-shape.ts';
import { DEFAULT_JSON_LIMITS } from '../../request/json-limits.ts';

/** What of a schema decides how a value is read. */
interface Readable {
  type?: string;
  anyOf?: Readable[];
  items?: Readable;
  properties?: Record<string, Readable>;
}

/**
 * Reads arguments as programs send them. Some send null for each optional argument that a model left out, and numbers,
 * booleans, lists and objects as strings of JSON, also inside of lists and objects. Whatever is still wrong is left as it is:
 * the check against the schema names it.
 * @param sent is changed
 * @returns the arguments; undefined if they are not an object
 * @throws ServiceError `invalid_request` if they are nested too deep
 */
export function readArguments(schema: TObject, sent: unknown): Record<string, unknown> | undefined {
  if (isDeeper(sent, MAX_DEPTH)) {
    throw invalidField('/arguments', `must not be nested deeper than ${MAX_DEPTH}`);
  }
  const read = readValue(schema as TSchema as Readable, sent) ?? {};
  const isObject = typeof read === 'object' && read !== null && !Array.isArray(read);
  return isObject ? (read as Record<string, unknown>) : undefined;
}

function readValue(schema: Readable, sent: unknown): unknown {
  const branches = schema.anyOf ?? [schema];
  const value = typeof sent === 'string' ? parseText(branches, sent) : sent;
  if (Array.isArray(value)) {
    const items = branches.find(({ type }) => type === 'array')?.items;
    return items === undefined ? value : value.map((item) => readValue(items, item));
  }
  if (typeof value === 'object' && value !== null) readFields(branches, value as Record<string, unknown>);
  return value;
}

function readFields(branches: readonly Readable[], value: Record<string, unknown>): void {
  const properties = branches.find(({ type }) => type === 'object')?.properties ?? {};
  for (const [name, field] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const read = readValue(field, value[name]);
    if (read === null && !isAllowed(field.anyOf ?? [field], null)) delete value[name];
    else value[name] = read;
  }
}

/** The value of a text that is to be something else, or the text. */
function parseText(branches: readonly Readable[], text: string): unknown {
  const isText = branches.some(({ type }) => type === 'string');
  const begin = text.trimStart()[0];
  // A vector can be a text too, but not one that begins like a list.
  if (isText && begin !== '[' && begin !== '{') return text;
  const parsed = parseJson(text);
  return parsed !== undefined && (parsed === null || isAllowed(branches, parsed)) ? parsed : text;
}

/** The value of JSON; undefined if it is not JSON, or more than a body can have. */
function parseJson(text: string): unknown {
  const shape = new JsonShape(DEFAULT_JSON_LIMITS);
  shape.add(Buffer.from(text));
  if (shape.fault !== null || !shape.isClosed) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a schema has a branch with the type of a value. */
function isAllowed(branches: readonly Readable[], value: unknown): boolean {
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return branches.some(({ type }) => type === own || (type === 'integer' && own === 'number'));
}
