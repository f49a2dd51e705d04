import { prepared, preparedName, type Queryable } from '../driver/database.ts';

/** A statement with numbers in the place of names. */
interface Numbered {
  text: string;
  /** How many numbers it had before. */
  numbers: number;
  names: readonly string[];
}

/** By the text with names. There are few, because the text of a statement is a constant. */
const NUMBERED = new Map<string, Numbered>();

/**
 * Runs a statement that names its values: `where title = $title`, with `{ title }`. A text that is marked with `prepared` is
 * prepared.
 * @param text a constant, as for `prepared`. It can have fragments with numbers, such as `inScope`
 * @param values each value that the text names
 * @param first the values of the numbers, from `$1`
 * @throws if a name has no value, or a value is not in the text
 */
export function queryNamed<R extends object = Record<string, unknown>>(
  tx: Queryable,
  text: string,
  values: Readonly<Record<string, unknown>>,
  first: readonly unknown[] = [],
): Promise<R[]> {
  let numbered = NUMBERED.get(text);
  if (numbered === undefined) {
    numbered = numberNames(text);
    NUMBERED.set(text, numbered);
  }
  const { names, numbers } = numbered;
  if (first.length !== numbers) throw new Error(`the statement has ${numbers} numbers: ${text}`);
  const named = names.map((name) => {
    if (!Object.hasOwn(values, name)) throw new Error(`the statement has no value for $${name}: ${text}`);
    return values[name];
  });
  const unused = Object.keys(values).find((name) => !names.includes(name));
  if (unused !== undefined) throw new Error(`the statement does not name $${unused}: ${text}`);
  return tx.query<R>(numbered.text, [...first, ...named]);
}

function numberNames(text: string): Numbered {
  const numbers = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, digits]) => Number(digits)));
  const names: string[] = [];
  const numbered = text.replaceAll(/\$([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${numbers + names.indexOf(name) + 1}`;
  });
  return { text: preparedName(text) === undefined ? numbered : prepared(numbered), numbers, names };
}
