import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../db/driver/database.ts';
import { ROOT } from '../../test/support/root.ts';

const FILES = ['candidates', 'keyword-query', 'keyword-scores', 'filter', 'semantic'];
/** As `pg_get_functiondef` writes them. A comment can mention `offset 0`. */
const PARTS = /^ SET (?!search_path)(\w+) TO .*\n|(?<!--.*)\boffset 0\b/gm;

/** The functions of a search, with their definitions by the catalogue. */
export type Definitions = ReadonlyMap<string, string>;

/** A part of a function's definition that steers the planner, from one character to another. */
interface Part {
  of: string;
  from: number;
  to: number;
}

/** What is measured with and without: one part, or all parts of a kind. */
export interface Steering {
  name: string;
  parts: readonly Part[];
}

export async function readDefinitions(database: Database): Promise<Definitions> {
  const files = FILES.map((file) => readFile(join(ROOT, 'db/functions/search', `${file}.sql`), 'utf8'));
  const names = (await Promise.all(files)).flatMap((text) =>
    [...text.matchAll(/^create or replace function memory\.(\w+)/gm)].map(([, name = '']) => name),
  );
  const rows = await database.query<{ name: string; definition: string }>(
    `select proname as name, pg_get_functiondef(oid) as definition from pg_proc
      where pronamespace = 'memory'::regnamespace and proname = any ($1)`,
    [names],
  );
  const definitions = new Map(rows.map(({ name, definition }) => [name, definition]));
  if (definitions.size < names.length || rows.length > names.length)
    throw new Error('The functions of the database differ from those of the files');
  return definitions;
}

/** Finds each setting and each `offset 0`, and groups each kind that several functions have. */
export function findSteerings(definitions: Definitions): Steering[] {
  const single: Steering[] = [];
  const kinds = new Map<string, Part[]>();
  for (const [of, definition] of definitions) {
    let offsets = 0;
    for (const { 0: text, 1: setting = 'offset 0', index: from } of definition.matchAll(PARTS)) {
      const part = { of, from, to: from + text.length };
      const what = text.startsWith(' SET ')
        ? text.slice(5, -1).replace(' TO ', ' = ')
        : `offset 0, ${++offsets}.`;
      single.push({ name: `${of}: ${what}`, parts: [part] });
      kinds.set(setting, [...(kinds.get(setting) ?? []), part]);
    }
  }
  const groups = [...kinds].map(([kind, parts]) => ({ name: `ALL: ${kind}`, parts }));
  return [...single, ...groups.filter(({ parts }) => parts.length > 1)];
}

/** Replaces functions while `use` runs. */
async function withFunctions<T>(
  database: Database,
  definitions: Definitions,
  replaced: Definitions,
  use: () => Promise<T>,
): Promise<T> {
  try {
    for (const definition of replaced.values()) await database.query(definition);
    return await use();
  } finally {
    for (const name of replaced.keys()) await database.query(definitions.get(name)!);
  }
}

/** Runs `use` while the functions of a database do not have some parts. */
export function withoutParts<T>(
  database: Database,
  definitions: Definitions,
  parts: readonly Part[],
  use: () => Promise<T>,
): Promise<T> {
  const replaced = new Map<string, string>();
  // From the last to the first, so that the places of the others stay the same.
  for (const { of, from, to } of parts.toSorted((a, b) => b.from - a.from)) {
    const definition = replaced.get(of) ?? definitions.get(of)!;
    replaced.set(of, definition.slice(0, from) + definition.slice(to));
  }
  return withFunctions(database, definitions, replaced, use);
}

const CALLED = 'called by the case';
const BODY = /AS \$function\$.*\$function\$/s;

/** Returns the cases that call a function. A function that fails in its place shows it. */
export async function callersOf<Case>(
  database: Database,
  definitions: Definitions,
  name: string,
  cases: readonly Case[],
  run: (one: Case) => Promise<unknown>,
): Promise<Case[]> {
  const failing = definitions
    .get(name)!
    .replace(/ LANGUAGE sql\b/, ' LANGUAGE plpgsql')
    .replace(BODY, () => `AS $function$ begin raise exception '${CALLED}'; end $function$`);
  const callers: Case[] = [];
  await withFunctions(database, definitions, new Map([[name, failing]]), async () => {
    for (const one of cases) {
      await run(one).catch((error: Error) => {
        if (error.message !== CALLED) throw error;
        callers.push(one);
      });
    }
  });
  return callers;
}
