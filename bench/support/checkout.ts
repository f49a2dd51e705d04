import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as DatabaseModule from '../../db/driver/database.ts';
import type { Database, Statement } from '../../db/driver/database.ts';
import type * as EmbeddedModule from '../../db/driver/embedded.ts';
import type * as PostgresModule from '../../db/driver/postgres.ts';
import type * as SearchModule from '../../db/queries/search/search.ts';
import { DEFAULT_TOP_K } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type * as TermsModule from '../../shared/text/terms/terms.ts';
import type { QueryTerms } from '../../shared/text/terms/terms.ts';
import type * as NeedsModule from '../../test/support/needs/database.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { ROOT } from '../../test/support/root.ts';
import { type Api, startApi } from './child.ts';
import { logger, maintain } from './databases.ts';
import type * as TeamsModule from './filled-teams.ts';
import type { FilledTeam } from './filled-teams.ts';

const FILL_CONNECTIONS = 4;

/** The address of an empty PostgreSQL database on this machine, or an empty folder for an embedded database. */
export type DatabasePlace = { url: string } | { dataDir: string };

/** A search of one Team, as the database gets it. Without a vector, it is by words only. */
export interface Prepared {
  terms: QueryTerms;
  embedding: Float32Array | null;
}

/** A checkout of the service, with a database that its own code fills and searches. */
export interface Checkout {
  readonly name: string;
  /** Of its database; empty for an embedded one. */
  readonly url: string;
  /** To fill it. */
  readonly database: Database;
  /** To search it, always on the same connection. */
  readonly searched: Database;
  /** Runs a statement that no transaction can contain, such as `vacuum`, without a time limit. */
  maintain(statement: string): Promise<void>;
  /** Fills a Team with this many chunks. */
  fill(size: number): Promise<FilledTeam>;
  termsOf(scope: TeamScope, query: string): QueryTerms;
  /** Searches as the service does, in one round trip. Returns how many hits there are. */
  search(scope: TeamScope, asked: Prepared): Promise<number>;
  /** The claims and the statement of a search of a whole Team, as the service sends them. */
  statementsOf(team: FilledTeam, query: string, vector: Float32Array): Promise<Statement[]>;
  startApi(settings?: Record<string, string>): Promise<Api>;
  close(): Promise<void>;
}

/**
 * Loads the code of a checkout and prepares its database. This one's code and another's are then measured in one run.
 * @param folder the root of a checkout
 * @param folderOfTexts of the retrieval set
 */
export async function openCheckout(
  name: string,
  folder: string,
  place: DatabasePlace,
  folderOfTexts: string,
): Promise<Checkout> {
  const load = async <Module>(...paths: readonly [string, ...string[]]) => {
    const path = paths.find((one) => existsSync(join(folder, one))) ?? paths[0];
    return (await import(pathToFileURL(join(folder, path)).href)) as Module;
  };
  const driver = await load<typeof DatabaseModule>('db/driver/database.ts');
  const { searchChunks } = await load<typeof SearchModule>('db/queries/search/search.ts');
  const { queryTerms } = await load<typeof TermsModule>('shared/text/terms/terms.ts');
  // Earlier checkouts have it elsewhere.
  const { fillTeam } = await load<typeof TeamsModule>(
    'bench/support/filled-teams.ts',
    'test/bench/search-teams.ts',
  );
  const needs = await load<typeof NeedsModule>('test/support/needs/database.ts');
  const url = 'url' in place ? place.url : '';

  const opened: Database[] = [];
  if ('dataDir' in place) {
    const { openEmbedded } = await load<typeof EmbeddedModule>('db/driver/embedded.ts');
    opened.push(await openEmbedded({ dataDir: place.dataDir }));
  } else {
    const { openPostgres } = await load<typeof PostgresModule>('db/driver/postgres.ts');
    for (const max of [FILL_CONNECTIONS, 1]) opened.push(openPostgres(url, logger, { max }));
  }
  const [database, searched] = [opened[0]!, opened.at(-1)!];
  await needs.prepareDatabase(database);
  const asked = { model: TEST_MODEL_NAME, topK: DEFAULT_TOP_K };
  return {
    name,
    url,
    database,
    searched,
    maintain: async (statement) => {
      if (url === '') await database.query(statement);
      else await maintain(url, statement);
    },
    fill: (size) => fillTeam(database, size, folderOfTexts),
    termsOf: (scope, query) => queryTerms(scope.teamId, query),
    search: async (scope, search) => {
      const hits = await driver.transactionWithFirstRead(searched, scope, (tx) =>
        searchChunks(tx, { ...asked, ...search }),
      );
      return hits.length;
    },
    statementsOf: async ({ scopes: { whole } }, query, embedding) => {
      const sent: Statement[] = [];
      const noting: Database = {
        ...database,
        transaction: async (fn, opening) => {
          if (opening !== undefined) sent.push(opening);
          return fn({
            query: async (text, values = []) => {
              sent.push({ text, values });
              return [];
            },
          });
        },
      };
      const search = { ...asked, terms: queryTerms(whole.teamId, query), embedding };
      await driver.transaction(noting, whole, (tx) => searchChunks(tx, search));
      return sent;
    },
    startApi: (settings = {}) => startApi(url, settings, folder),
    close: async () => {
      for (const one of opened) await one.close();
    },
  };
}

/**
 * Opens this checkout and, if there is one, another before it, each with a place of its own. They are measured in turns.
 * @param before its folder; empty if there is none
 */
export async function withCheckouts(
  before: string,
  folderOfTexts: string,
  withPlace: (use: (place: DatabasePlace) => Promise<void>) => Promise<void>,
  measure: (checkouts: readonly Checkout[]) => Promise<void>,
): Promise<void> {
  const open = async (folders: readonly [string, string][], opened: readonly Checkout[]): Promise<void> => {
    const [first, ...others] = folders;
    if (first === undefined) return measure(opened);
    await withPlace(async (place) => {
      const checkout = await openCheckout(...first, place, folderOfTexts);
      await open(others, [...opened, checkout]).finally(() => checkout.close());
    });
  };
  await open([...(before === '' ? [] : [['before', before] as [string, string]]), ['now', ROOT]], []);
}
