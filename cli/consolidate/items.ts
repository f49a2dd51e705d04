import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { Body } from '../../shared/schemas/common.ts';
import { type Capture, ConsolidatedItem, MAX_ITEMS } from '../../shared/schemas/consolidation.ts';
import { CommandError } from '../terminal/command-error.ts';

const { captureIds, action, title, content, tags } = ConsolidatedItem.properties;
/**
 * What a program or a person decides. A capture can tell a model what to answer, so an item cannot move a memory to
 * another layer or replace one.
 */
const Item = Body({ captureIds, action, title, content, tags });
export type Item = Static<typeof Item>;
const Items = Type.Array(Item, { maxItems: MAX_ITEMS });

/** Why these items cannot complete a batch with these captures; null if they can. */
function faultOf(items: unknown, captures: readonly Capture[]): string | null {
  if (!Value.Check(Items, items)) {
    const [error] = Value.Errors(Items, items);
    return error === undefined ? 'it has another form' : `${error.instancePath || '/'} ${error.message}`;
  }
  const ids = new Set(captures.map(({ id }) => id));
  for (const [index, { action, captureIds, title, content }] of items.entries()) {
    const stranger = captureIds.find((id) => !ids.has(id));
    if (stranger !== undefined) return `/${index}/captureIds names a capture that is not in the batch`;
    if (action !== 'discard' && (title === undefined || content === undefined))
      return `/${index} must have a title and a content`;
  }
  return null;
}

/**
 * Checks items before they are sent.
 * @param source what they come from, for the message
 * @throws CommandError that names the first fault
 */
export function checkItems(items: unknown, captures: readonly Capture[], source: string): Item[] {
  const fault = faultOf(items, captures);
  if (fault === null) return items as Item[];
  throw new CommandError(`the answer of ${source} is not valid: ${fault}`);
}

const FENCE = '```';

/** Parses the text as JSON, otherwise what is between its first and its last fence, in which many models put an answer. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const lines = text.split('\n');
    const isFence = (line: string) => line.startsWith(FENCE);
    // A content can have fences too, but inside a string of JSON there is no line break.
    const [first, last] = [lines.findIndex(isFence), lines.findLastIndex(isFence)];
    if (first === last) throw error;
    return JSON.parse(lines.slice(first + 1, last).join('\n'));
  }
}

/**
 * Reads the items in the answer of a program: `{ "items": [...] }`, or the list itself.
 * @throws CommandError if it is not JSON of this form
 */
export function parseAnswer(text: string, captures: readonly Capture[], command: string): Item[] {
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch {
    throw new CommandError(`the answer of ${command} is not valid: it is not JSON`);
  }
  const items = Array.isArray(answer) ? answer : (answer as { items?: unknown } | null)?.items;
  return checkItems(items, captures, command);
}
