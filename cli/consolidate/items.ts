import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Capture, ConsolidatedItem, MAX_ITEMS } from '../../shared/schemas/consolidation.ts';
import { CommandError } from '../terminal/command-error.ts';

const Items = Type.Array(ConsolidatedItem, { maxItems: MAX_ITEMS });
export type Item = Static<typeof ConsolidatedItem>;

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

/** The text between the first two fences, in which many models put an answer; otherwise the text itself. */
function withoutFence(text: string): string {
  const [, fenced] = text.split('```');
  if (fenced === undefined) return text;
  // The first line of a fenced block names its language.
  return fenced.slice(fenced.indexOf('\n') + 1);
}

/**
 * Reads the items in the answer of a program: `{ "items": [...] }`, or the list itself.
 * @throws CommandError if it is not JSON of this form
 */
export function parseAnswer(text: string, captures: readonly Capture[], command: string): Item[] {
  let answer: unknown;
  try {
    answer = JSON.parse(withoutFence(text));
  } catch {
    throw new CommandError(`the answer of ${command} is not valid: it is not JSON`);
  }
  const items = Array.isArray(answer) ? answer : (answer as { items?: unknown } | null)?.items;
  return checkItems(items, captures, command);
}
