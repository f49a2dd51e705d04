import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { ROOT } from '../root.ts';
import { needsOf, usesDatabase } from './needs.ts';

/*
 * Which test files a command runs, on which database:
 *
 *   npm test                all that follow down to `test:pg`, after `npm run check`
 *   npm run test:unit       pure code: files of test/unit that need nothing
 *   npm run test:main       test/unit, the tests through the API, and test/db without its searches, on the embedded database
 *   npm run test:parts      all others: test/db/search, test/worker, test/cli and others, on the embedded database
 *   npm run test:browser    files that need a browser, on the embedded database
 *   npm run test:faults     test/faults: start-ups, ends and killed processes, on both databases
 *   npm run test:pg         what `test:main` and `test:parts` run, on PostgreSQL; only where it makes a difference
 *   npm run test:cluster    test/cluster: PgBouncer, HAProxy, a replica and object storage, from Debian; needs root
 *   npm run test:clients    test/clients: real programs, which it installs from npm; needs Linux
 *   npm run test:pgbouncer  the tests through the API on PostgreSQL behind PgBouncer, from Debian; needs root
 */
export const TIERS = [
  'unit',
  'main',
  'parts',
  'postgres',
  'browser',
  'faults',
  'all',
  'cluster',
  'clients',
] as const;
export type Tier = (typeof TIERS)[number];

/** Test files that run together, on one database. */
export interface Round {
  database: 'embedded' | 'postgres';
  files: string[];
  /** The lines that run are counted in these folders. */
  covered?: readonly string[];
}

/** Files that use a database and find the same on both: the embedded one is enough. */
export const SAME_ON_BOTH = [
  'test/cli/**',
  'test/packaging/**',
  // That both databases rank alike has a test of its own.
  'test/search/retrieval.test.ts',
  'test/db/search/retrieval-fusion.test.ts',
  // The database's part in access has tests of its own, test/db/isolation, which run on both.
  'test/access/{matrix,taken-emails}.test.ts',
  'test/access/late/bodies.test.ts',
  // Headers, addresses, requests that are refused before the database is asked, and the OpenAPI document.
  'test/http/{conventions,cross-origin,trusted-proxies,untrusted-proxy}.test.ts',
  'test/http/{body-budget,field-errors,hostile-bodies,retained-memory}.test.ts',
  'test/status/openapi.test.ts',
  'test/http/openapi/*.test.ts',
  // States by random changes, processes that read files, and what they report. The statements are the same.
  'test/memories/life/life.test.ts',
  'test/worker/imports/{ended,progress}.test.ts',
  // What the protocol adds to an operation.
  'test/mcp/{protocol,clients,conformance}.test.ts',
];

/** Files about the embedded database. */
export const EMBEDDED_ONLY = [
  'test/db/embedded/{folder-lock,full-log}.test.ts',
  'test/status/full-disk.test.ts',
  'test/faults/demo.test.ts',
];

/**
 * Slow files that `npm test` runs on PostgreSQL only, so that it ends in time. `test:parts` and `test:faults` run them on
 * the embedded database, and so does `npm test` where there is no PostgreSQL.
 */
export const SLOW_ON_BOTH = [
  'test/faults/{kill-requests,kill-worker,kill-move}.test.ts',
  // Two of the three directions that they move in there read or write an embedded database.
  'test/db/move/*.test.ts',
  'test/db/search/wide-filters.test.ts',
  'test/worker/imports/turns.test.ts',
  'test/worker/redaction/planted.test.ts',
];

/**
 * Files that count each read of very long texts. Where lines are counted, they take ten times as long, and they run no line
 * that others do not.
 */
export const SLOW_TO_COUNT = ['test/unit/text-in-pieces.test.ts', 'test/unit/secrets/work.test.ts'];

/** Not the worker and the client: much of them runs only in processes that tests start. */
const COVERED = ['api', 'core', 'db', 'shared'];
/** Folders in these that run in such processes too, and in tests of rounds that count no lines. */
export const NOT_COVERED = ['db/move'];

/** What the service does, by requests to an app that does not listen: a folder for each subject. */
export const THROUGH_API =
  'test/{access,accounts,audit,captures,consolidation,feedback,http,imports,mcp,memories,people,redaction,search,' +
  'sources,status,teams,tokens,workspace}/**';
const MAIN = ['test/unit/**', THROUGH_API, 'test/db/*', 'test/db/{embedded,isolation}/*'];
const FAULTS = ['test/faults/**'];
/** Tiers of their own, which no other one includes: they need what not every machine has. */
const SEPARATE = { cluster: ['test/cluster/**'], clients: ['test/clients/**'] };

const matches = (file: string, globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob));

/** Whether a run on PostgreSQL can find something that a run on the embedded database cannot. */
function differsOnPostgres(file: string): boolean {
  const needs = needsOf(file);
  return usesDatabase(needs) && !needs.has('browser') && !matches(file, [...SAME_ON_BOTH, ...EMBEDDED_ONLY]);
}

/** All test files of the repository, by their paths in it. */
export const allTestFiles = () => globSync('test/**/*.test.ts', { cwd: ROOT }).sort();

/**
 * What a tier runs of these files, in this order.
 * @param hasServer whether everything includes PostgreSQL
 */
export function roundsOf(tier: Tier, allFiles: readonly string[], hasServer = true): Round[] {
  if (tier === 'cluster' || tier === 'clients') {
    return [{ database: 'embedded', files: allFiles.filter((file) => matches(file, SEPARATE[tier])) }];
  }
  const files = allFiles.filter((file) => !matches(file, Object.values(SEPARATE).flat()));
  const isFault = (file: string) => matches(file, FAULTS);
  const isBrowser = (file: string) => needsOf(file).has('browser');
  const isMain = (file: string) => matches(file, MAIN);
  const isCounted = (file: string) => isMain(file) && !matches(file, SLOW_TO_COUNT);
  const isPart = (file: string) => !isMain(file) && !isFault(file) && !isBrowser(file);
  const embedded = (chosen: (file: string) => boolean): Round => ({
    database: 'embedded',
    files: files.filter(chosen),
  });
  const postgres = (chosen: (file: string) => boolean): Round => ({
    database: 'postgres',
    files: files.filter((file) => chosen(file) && differsOnPostgres(file)),
  });
  switch (tier) {
    case 'unit':
      return [embedded((file) => matches(file, ['test/unit/**']) && needsOf(file).size === 0)];
    case 'main':
      return [{ ...embedded(isCounted), covered: COVERED }, embedded((file) => matches(file, SLOW_TO_COUNT))];
    case 'parts':
      return [embedded(isPart)];
    case 'postgres':
      return [postgres((file) => isMain(file) || isPart(file))];
    case 'browser':
      return [embedded(isBrowser)];
    case 'faults':
      return [embedded(isFault), postgres(isFault)];
    case 'all':
      return [
        { ...embedded(isCounted), covered: COVERED },
        // Without counting lines: while they are counted, each process compiles all code again.
        embedded((file) => !isCounted(file) && !(hasServer && matches(file, SLOW_ON_BOTH))),
        ...(hasServer ? [postgres(() => true)] : []),
      ];
  }
}
