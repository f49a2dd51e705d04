import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ROOT } from '../root.ts';
import { nodesIn, parseModule } from '../syntax.ts';

/*
 * What a test file needs is what it imports from test/support/needs/, itself or through other modules of the tests:
 *
 *   nothing         pure code
 *   command         starts programs
 *   database        the database that files share, with a Company of the file's own
 *   own-database    a database of its own: it reads or changes what belongs to no Company, or runs a worker
 *   process         processes of the service, which it ends with all that they made; so its own process is not shared
 *   browser         Chromium
 *
 * A file that reaches one of them in another way is refused, so that no file runs in company that it can disturb.
 */

const FOLDER = 'test/support/needs/';
const NEEDS = ['command', 'database', 'own-database', 'process', 'browser'] as const;
export type Need = (typeof NEEDS)[number];

/** Modules that give access to a resource, and the needs that declare it. */
const RESOURCES: Readonly<Record<string, readonly Need[]>> = {
  'node:child_process': ['command', 'process'],
  'db/driver/embedded.ts': ['database', 'own-database'],
  'db/driver/postgres.ts': ['database', 'own-database'],
  'db/startup/startup.ts': ['database', 'own-database'],
  pg: ['database', 'own-database'],
  'playwright-core': ['browser'],
};

const importsOf = new Map<string, string[]>();

/** What a module imports when it runs: packages by name, modules of the repository by their path in it. */
function readImports(path: string): string[] {
  const known = importsOf.get(path);
  if (known !== undefined) return known;
  const { tree } = parseModule(readFileSync(join(ROOT, path), 'utf8'));
  const names = [...nodesIn(tree)].flatMap((node) => {
    const source = 'source' in node ? node.source : null;
    const isText = source?.type === 'Literal' && typeof source.value === 'string';
    return isText ? [source.value as string] : [];
  });
  const found = names.map((name) =>
    name.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(path), name)) : name,
  );
  importsOf.set(path, found);
  return found;
}

/** The modules that a test file brings along: those of the tests with all that they import, others only by name. */
function modulesOf(path: string, found = new Set<string>()): Set<string> {
  found.add(path);
  for (const module of readImports(path)) {
    if (found.has(module)) continue;
    if (/^(test|bench)\/.*\.ts$/.test(module)) modulesOf(module, found);
    else found.add(module);
  }
  return found;
}

/**
 * What a test file needs.
 * @throws Error of one line if it uses a resource that it does not declare
 */
export function needsOf(file: string): ReadonlySet<Need> {
  const path = relative(ROOT, resolve(file));
  const modules = modulesOf(path);
  const needs = new Set(NEEDS.filter((need) => modules.has(`${FOLDER}${need}.ts`)));
  for (const [module, declared] of Object.entries(RESOURCES)) {
    if (!modules.has(module) || declared.some((need) => needs.has(need))) continue;
    const choice = declared.map((need) => `${FOLDER}${need}.ts`).join(' or ');
    throw new Error(`${path} uses ${module} without declaring it: import ${choice}`);
  }
  return needs;
}

/** Whether a test file asks the questions of the retrieval set. */
export const usesRetrievalSet = (file: string) =>
  modulesOf(relative(ROOT, resolve(file))).has('test/support/retrieval-set.ts');

/** Whether a test file runs commands of the terminal client. */
export const runsClient = (file: string) => modulesOf(relative(ROOT, resolve(file))).has('test/cli/cli.ts');

/**
 * How many files can share a process with one of these needs, this one included.
 * @param database on PostgreSQL, each file keeps connections until all files of its process are done
 */
export function filesPerProcess(needs: ReadonlySet<Need>, database: 'embedded' | 'postgres'): number {
  if (needs.has('process')) return 1;
  // Tests in a browser take long, and a large batch at the end of a run leaves a core without work.
  if (needs.has('browser')) return 4;
  // All databases of a batch are open at once.
  if (needs.has('own-database')) return database === 'embedded' ? 8 : 4;
  return database === 'embedded' ? 36 : 18;
}

/** Whether a file opens a database, whichever. */
export const usesDatabase = (needs: ReadonlySet<Need>) => needs.has('database') || needs.has('own-database');
