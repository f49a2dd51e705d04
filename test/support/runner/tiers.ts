import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { ROOT } from '../root.ts';
import { needsOf, usesDatabase } from './needs.ts';

/*
 * Which test files a command runs, on which database:
 *
 *   npm test                `npm run check`, then test:unit and test:api without slow files
 *   npm run test:rest       these, and all others down to test:pg; PostgreSQL, and the programs that tests start, are set up first
 *
 *   npm run test:unit       test/unit: functions, and rules about the code; no database
 *   npm run test:api        what callers see, by requests to an app that does not listen, on the embedded database
 *   npm run test:db         test/db, test/worker: statements, SQL functions and jobs, on the embedded database
 *   npm run test:programs   test/cli and others that start programs, on the embedded database
 *   npm run test:browser    test/browser, and others in a browser, on the embedded database
 *   npm run test:faults     test/faults: start-ups, ends and killed processes, on both databases
 *   npm run test:pg         what `test:api` and `test:db` run, on PostgreSQL; only where it makes a difference
 *   npm run test:cluster    test/cluster: PgBouncer, HAProxy, a replica and object storage, from Debian; needs root
 *   npm run test:clients    test/clients: real programs, which it installs from npm; needs Linux
 *   npm run test:pgbouncer  the tests through the API on PostgreSQL behind PgBouncer, from Debian; needs root
 */
export const TIERS = [
  'quick',
  'rest',
  'unit',
  'api',
  'db',
  'programs',
  'browser',
  'faults',
  'postgres',
  'cluster',
  'clients',
] as const;
export type Tier = (typeof TIERS)[number];

/** Test files that run together, on one database. */
export interface Round {
  database: 'embedded' | 'postgres';
  files: string[];
  /** Whether the lines that run are counted, where MEMORY_TEST_COVERAGE asks for it. */
  isCounted: boolean;
}

/** Files that use a database and find the same on both: the embedded one is enough. */
export const SAME_ON_BOTH = [
  'test/cli/**',
  'test/packaging/**',
  // That both databases rank alike has a test of its own.
  'test/search/{retrieval,short-queries}.test.ts',
  'test/db/search/retrieval-fusion.test.ts',
  // The database's part in access has tests of its own, test/db/isolation, which run on both.
  'test/access/{matrix,refusal-order,two-companies}.test.ts',
  'test/access/late/bodies.test.ts',
  // Headers, addresses, requests that are refused before the database is asked, and the OpenAPI document.
  'test/http/{conventions,cross-origin,trusted-proxies}.test.ts',
  'test/http/{body-budget,field-errors,hostile-bodies,large-bodies,limits,retained-memory}.test.ts',
  'test/status/openapi.test.ts',
  'test/http/openapi/*.test.ts',
  // States by random changes, processes that read files, and what they report. The statements are the same.
  'test/memories/life/life.test.ts',
  'test/worker/imports/progress.test.ts',
  // What the protocol adds to an operation.
  'test/mcp/{protocol,clients,conformance,bounds}.test.ts',
];

/** Files about the embedded database. */
export const EMBEDDED_ONLY = [
  'test/db/embedded/{folder-lock,full-log}.test.ts',
  'test/status/full-disk.test.ts',
  'test/faults/demo.test.ts',
];

/**
 * Slow files that `test:rest` runs on PostgreSQL only, so that it ends in time. `test:db` and `test:faults` run them on the
 * embedded database, and so does `test:rest` where there is no PostgreSQL.
 */
export const SLOW_ON_BOTH = [
  'test/faults/{kill-requests,kill-worker,kill-move}.test.ts',
  // Two of the three directions that they move in there read or write an embedded database.
  'test/db/move/*.test.ts',
  'test/db/search/wide-filters.test.ts',
  'test/worker/imports/turns.test.ts',
  'test/worker/redaction/planted.test.ts',
  // With one connection, a request waits where it waits with several.
  'test/access/late/transactions.test.ts',
];

/**
 * Slow files of `test:unit` and `test:api`, which `npm test` leaves to `test:rest` so that it takes five minutes. A change of a
 * route names its own rows of the access matrix: see docs/contributing/add-a-route.md.
 */
export const LEFT_TO_REST = [
  'test/access/{events,matrix,refusal-order,two-companies}.test.ts',
  'test/access/late/*.test.ts',
  'test/audit/{tampering,truncation,verify}.test.ts',
  'test/http/{large-bodies,limits,retained-memory}.test.ts',
  'test/mcp/bounds.test.ts',
  'test/memories/life/life.test.ts',
  'test/search/{retrieval,short-queries}.test.ts',
  'test/sources/{bulk-archive,large-ingest,originals}.test.ts',
  'test/sources/purge/originals.test.ts',
  'test/unit/expressions/expressions.test.ts',
  'test/unit/secrets/{vendor-expressions,work}.test.ts',
  'test/unit/{log-format,runner,text-in-pieces}.test.ts',
  'test/worker/extract/{office/*,pdf/hostile}.test.ts',
];

/** What the service does, by requests to an app that does not listen: a folder for each subject. */
export const THROUGH_API =
  'test/{access,accounts,audit,captures,companies,consolidation,feedback,http,imports,mcp,memories,people,redaction,search,' +
  'sources,status,teams,tokens,workspace}/**';

const matches = (file: string, globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob));

/** The tier of each test file: the first that fits. Each file is in one of them. */
const OWN_TIERS: readonly [tier: Tier, fits: (file: string) => boolean][] = [
  // Tiers that no other one includes: they need what not every machine has.
  ['cluster', (file) => matches(file, ['test/cluster/**'])],
  ['clients', (file) => matches(file, ['test/clients/**'])],
  ['faults', (file) => matches(file, ['test/faults/**'])],
  ['browser', (file) => needsOf(file).has('browser')],
  ['unit', (file) => matches(file, ['test/unit/**']) || needsOf(file).size === 0],
  ['api', (file) => matches(file, [THROUGH_API])],
  ['db', (file) => matches(file, ['test/{db,worker}/**'])],
  ['programs', () => true],
];

/** The tier whose command runs a test file. */
export const tierOf = (file: string): Tier | undefined => OWN_TIERS.find(([, fits]) => fits(file))?.[0];

/** Whether a run on PostgreSQL can find something that a run on the embedded database cannot. */
const differsOnPostgres = (file: string): boolean =>
  usesDatabase(needsOf(file)) && !matches(file, [...SAME_ON_BOTH, ...EMBEDDED_ONLY]);

/** All test files of the repository, by their paths in it. */
export const allTestFiles = () => globSync('test/**/*.test.ts', { cwd: ROOT }).sort();

/**
 * What a command runs of these files, in this order.
 * @param hasServer whether the rest includes PostgreSQL
 */
export function roundsOf(tier: Tier, files: readonly string[], hasServer = true): Round[] {
  const of = (...tiers: readonly Tier[]) => files.filter((file) => tiers.includes(tierOf(file) as Tier));
  const embedded = (chosen: string[]): Round => ({ database: 'embedded', files: chosen, isCounted: false });
  const counted = (chosen: string[]): Round => ({ ...embedded(chosen), isCounted: true });
  const postgres = (chosen: string[]): Round => ({
    ...embedded(chosen.filter(differsOnPostgres)),
    database: 'postgres',
  });
  const isRun = (file: string) => !(hasServer && matches(file, SLOW_ON_BOTH));
  if (tier === 'quick') return [counted(of('unit', 'api').filter((file) => !matches(file, LEFT_TO_REST)))];
  if (tier === 'faults') return [embedded(of('faults')), postgres(of('faults'))];
  if (tier === 'postgres') return [postgres(of('api', 'db', 'programs'))];
  if (tier !== 'rest') return [counted(of(tier))];
  const left = of('unit', 'api').filter((file) => matches(file, LEFT_TO_REST));
  // To count lines in each process that a test starts takes longer than the test.
  const isQuickToCount = (file: string) => !needsOf(file).has('process') && !needsOf(file).has('command');
  const [slowToCount, db] = [
    of('db').filter((file) => !isQuickToCount(file)),
    of('db').filter(isQuickToCount),
  ];
  return [
    counted(db.filter(isRun)),
    embedded([...left, ...slowToCount, ...of('programs', 'browser', 'faults')].filter(isRun)),
    ...(hasServer ? [postgres(of('api', 'db', 'programs', 'faults'))] : []),
  ];
}
