import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Program, versionsOf } from './programs.ts';

/** What a program can show, in the order of the columns. */
export const COLUMNS = [
  'lists',
  'searches, remembers',
  'forgets, takes back',
  'revoked token',
  'hooks with a login',
  'hooks with an agent token',
  'plugin',
  'compiles strictly',
  'routes called',
  'schemas compiled',
] as const;
export type Column = (typeof COLUMNS)[number];

/** One result of one program. */
export interface Result {
  kind: string;
  /** The name that people give the program. */
  name: string;
  versions: string[];
  column: Column;
  value: string;
}

/** The file that collects the results of a run, one on each line. */
const FILE = process.env['MEMORY_TEST_CLIENT_RESULTS'];

export function readResults(file: string): Result[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
}

/** Defines tests of one program. Each leaves a result: what its function returns, or `yes`, or `failed`. */
export function testsOf(kind: string, name: string, program: Program) {
  return (column: Column, title: string, body: () => Promise<string | void>): void => {
    const record = (value: string) => {
      if (FILE === undefined) return;
      const result: Result = { kind, name, versions: versionsOf(program), column, value };
      appendFileSync(FILE, `${JSON.stringify(result)}\n`);
    };
    test(`${name} ${title}`, async () => {
      try {
        record((await body()) ?? 'yes');
      } catch (error) {
        record('failed');
        throw error;
      }
    });
  };
}
