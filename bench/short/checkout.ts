import pg from 'pg';
import type * as DatabaseModule from '../../db/driver/database.ts';
import type { Database } from '../../db/driver/database.ts';
import type * as EmbeddedModule from '../../db/driver/embedded.ts';
import type * as PostgresModule from '../../db/driver/postgres.ts';
import type * as SearchModule from '../../db/queries/search/search.ts';
import { createLogger } from '../../shared/logger.ts';
import { DEFAULT_TOP_K } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type * as TermsModule from '../../shared/text/terms/terms.ts';
import type { QueryTerms } from '../../shared/text/terms/terms.ts';
import type * as NeedsModule from '../../test/support/needs/database.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import type * as ScopesModule from '../../test/support/scopes.ts';
import type * as SourcesModule from '../../test/support/sources.ts';
import type * as CountsModule from '../../test/support/term-counts.ts';
import { startCpuTimer } from '../support/cpu.ts';
import type * as TeamsModule from '../support/filled-teams.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { FILLED_TEAMS, loadFrom } from '../support/load.ts';

const FILL_CONNECTIONS = 4;
const logger = createLogger('fatal', 'bench');

/** The address of an empty PostgreSQL database on this machine, or an empty folder for an embedded database. */
export type DatabasePlace = { url: string } | { dataDir: string };

/** A query as the database gets it. */
export interface Prepared {
  terms: QueryTerms;
  /** Null to search by keyword only. */
  embedding: Float32Array | null;
}

/** A checkout of the service, with a database that its own code fills and searches. */
export interface SearchCheckout {
  readonly name: string;
  readonly database: Database;
  /** Runs a statement that no transaction can contain, such as `vacuum`, without a time limit. */
  maintain(statement: string): Promise<void>;
  /** Stores texts as one source of a Team of their own, and counts their words. */
  storeTexts(texts: readonly string[]): Promise<void>;
  /** Fills a Team with this many passages. */
  fill(size: number): Promise<FilledTeam>;
  termsOf(scope: TeamScope, query: string): QueryTerms;
  /** Searches as the service does, in one round trip, always on the same connection. Returns how many hits there are. */
  search(scope: TeamScope, query: Prepared): Promise<number>;
  /** Starts to measure the database. See `startCpuTimer`. */
  startTimer(): Promise<() => number>;
  close(): Promise<void>;
}

/**
 * Loads the code of a checkout and prepares its database.
 * @param folder the root of the checkout
 * @param folderOfTexts of the retrieval set
 */
export async function openSearchCheckout(
  name: string,
  folder: string,
  place: DatabasePlace,
  folderOfTexts: string,
): Promise<SearchCheckout> {
  const load = loadFrom(folder);
  const { transactionWithFirstRead } = (await load('db/driver/database.ts')) as typeof DatabaseModule;
  const { searchChunks } = (await load('db/queries/search/search.ts')) as typeof SearchModule;
  const { queryTerms } = (await load('shared/text/terms/terms.ts')) as typeof TermsModule;
  const { fillTeam } = (await load(...FILLED_TEAMS)) as typeof TeamsModule;
  const needs = (await load('test/support/needs/database.ts')) as typeof NeedsModule;
  const { ownerScope } = (await load('test/support/scopes.ts')) as typeof ScopesModule;
  const { storeSource } = (await load('test/support/sources.ts')) as typeof SourcesModule;
  const { countTermsNow } = (await load('test/support/term-counts.ts')) as typeof CountsModule;

  /** Databases to fill and to search: the embedded one has only one connection. */
  const open = async (): Promise<Database[]> => {
    if ('dataDir' in place) {
      const { openEmbedded } = (await load('db/driver/embedded.ts')) as typeof EmbeddedModule;
      return [await openEmbedded({ dataDir: place.dataDir })];
    }
    const { openPostgres } = (await load('db/driver/postgres.ts')) as typeof PostgresModule;
    return [FILL_CONNECTIONS, 1].map((max) => openPostgres(place.url, logger, { max }));
  };
  const opened = await open();
  const [filling, searching] = [opened[0]!, opened.at(-1)!];
  await needs.prepareDatabase(filling);
  /** What runs the statements of searches: a process of PostgreSQL, or this process with its threads. */
  const pidOfSearches = async (): Promise<number> => {
    if (!('url' in place)) return process.pid;
    const [row] = await searching.query<{ pid: number }>('select pg_backend_pid() as pid');
    if (row === undefined) throw new Error('the process of a connection is one row');
    return row.pid;
  };

  return {
    name,
    database: filling,
    maintain: async (statement) => {
      if (!('url' in place)) return void (await filling.query(statement));
      const client = new pg.Client({ connectionString: place.url });
      await client.connect();
      await client.query(statement);
      await client.end();
    },
    storeTexts: async (texts) => {
      const company = await needs.createTestCompany(filling);
      const chunks = texts.map((text) => ({ text }));
      await storeSource(filling, ownerScope(company), { layer: null, chunks });
      await countTermsNow(filling, company);
    },
    fill: (size) => fillTeam(filling, size, folderOfTexts),
    termsOf: (scope, query) => queryTerms(scope.teamId, query),
    search: async (scope, { terms, embedding }) => {
      const asked = { terms, embedding, model: TEST_MODEL_NAME, topK: DEFAULT_TOP_K };
      return (await transactionWithFirstRead(searching, scope, (tx) => searchChunks(tx, asked))).length;
    },
    // Asked each time: a connection that is not used for some time is replaced.
    startTimer: async () => startCpuTimer([await pidOfSearches()]),
    close: async () => {
      for (const database of opened) await database.close();
    },
  };
}
