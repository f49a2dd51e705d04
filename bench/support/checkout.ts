import type * as DatabaseModule from '../../db/driver/database.ts';
import type { Database, Statement } from '../../db/driver/database.ts';
import type * as PostgresModule from '../../db/driver/postgres.ts';
import type * as SearchModule from '../../db/queries/search/search.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/logger.ts';
import { DEFAULT_TOP_K } from '../../shared/schemas/search.ts';
import type * as TermsModule from '../../shared/text/terms/terms.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { base64Of } from '../../test/support/base64-vector.ts';
import type * as NeedsModule from '../../test/support/needs/database.ts';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { API_TOKEN } from '../../test/support/needs/process.ts';
import { openStandInVectors } from '../../test/support/stand-in-vectors.ts';
import { type Child, startChild } from './child.ts';
import { type KeptConnection, requestBytes } from './connection.ts';
import type * as TeamsModule from './filled-teams.ts';
import type { FilledTeam } from './filled-teams.ts';
import { FILLED_TEAMS, loadFrom } from './load.ts';

const FILL_CONNECTIONS = 4;
const logger = createLogger('fatal', 'bench');

/** A checkout of the service, with a database that its own code has filled. */
export interface Checkout {
  readonly name: string;
  readonly url: string;
  readonly database: Database;
  /** Fills a Team with this many chunks. */
  fill(size: number): Promise<FilledTeam>;
  /** The claims and the statement of a search, as the service sends them. */
  statementsOf(team: FilledTeam, search: Search): Promise<Statement[]>;
  /** Starts the API with rate limits on, and with more settings. */
  startApi(databaseUrl?: string, settings?: Record<string, string>): Promise<{ child: Child; url: URL }>;
  close(): Promise<void>;
}

/** A hybrid search of a whole Team. */
export interface Search {
  query: string;
  vector: Float32Array;
}

/**
 * Loads the code of a checkout and prepares its database.
 * @param folder the root of a checkout. This one's statements and another's are then measured in one run
 * @param folderOfTexts of the retrieval set
 */
export async function openCheckout(
  name: string,
  folder: string,
  url: string,
  folderOfTexts: string,
): Promise<Checkout> {
  const load = loadFrom(folder);
  const { transaction } = (await load('db/driver/database.ts')) as typeof DatabaseModule;
  const { openPostgres } = (await load('db/driver/postgres.ts')) as typeof PostgresModule;
  const { searchChunks } = (await load('db/queries/search/search.ts')) as typeof SearchModule;
  const { queryTerms } = (await load('shared/text/terms/terms.ts')) as typeof TermsModule;
  const { fillTeam } = (await load(...FILLED_TEAMS)) as typeof TeamsModule;
  const { prepareDatabase } = (await load('test/support/needs/database.ts')) as typeof NeedsModule;

  const database = openPostgres(url, logger, { max: FILL_CONNECTIONS });
  await prepareDatabase(database);
  return {
    name,
    url,
    database,
    fill: (size) => fillTeam(database, size, folderOfTexts),
    statementsOf: async ({ scopes: { whole } }, { query, vector }) => {
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
      const terms = queryTerms(whole.teamId, query);
      const asked = { terms, embedding: vector, model: TEST_MODEL_NAME, topK: DEFAULT_TOP_K };
      await transaction(noting, whole, (tx) => searchChunks(tx, asked));
      return sent;
    },
    startApi: async (databaseUrl = url, settings = {}) => {
      const env = {
        MEMORY_API_TOKEN: API_TOKEN,
        MEMORY_DATABASE_URL: databaseUrl,
        MEMORY_API_HOST: '127.0.0.1',
        MEMORY_API_PORT: '0',
        MEMORY_RATE_LIMITS: 'on',
        MEMORY_RATE_LIMIT_PER_MINUTE: '1000000',
        // As `npm run api` starts it.
        MALLOC_TRIM_THRESHOLD_: '2097152',
        ...settings,
      };
      const child = startChild('api/main.ts', env, { execArgv: ['--max-semi-space-size=16'], root: folder });
      const { listening } = await child.hear<{ listening: string }>();
      return { child, url: new URL(listening) };
    },
    close: () => database.close(),
  };
}

/** Inserts a session of the Owner of a Team. Returns the headers of its requests. */
export async function sessionHeaders(
  { database }: Checkout,
  { company: { companyId, ownerId, teamId } }: FilledTeam,
): Promise<Record<string, string>> {
  const token = newToken();
  await database.query(
    'insert into identity.session (company_id, id, user_id, token_hash) values ($1, $2, $3, $4)',
    [companyId, newId(), ownerId, hashToken(token)],
  );
  return { authorization: `Bearer ${token}`, 'memory-team': teamId };
}

/** The form in which a client sends the vector of its query. */
export type VectorForm = 'base64' | 'numbers';

/** Base64, if the API of a checkout takes it: earlier ones take numbers only. */
export async function vectorFormOf(
  connection: KeptConnection,
  url: URL,
  headers: Record<string, string>,
): Promise<VectorForm> {
  const search = { query: 'which form', vector: openStandInVectors(1).vector() };
  try {
    await connection.send(requestBytes(url, '/v1/memory/search', headers, searchBody(search, 'base64')));
    return 'base64';
  } catch (error) {
    if ((error as Error).message.startsWith('HTTP/1.1 400 ')) return 'numbers';
    throw error;
  }
}

/** A vector as a body has it. */
export function vectorIn(form: VectorForm, vector: Float32Array): string | number[] {
  return form === 'base64' ? base64Of(vector) : [...vector];
}

/** The body of a search. */
export function searchBody({ query, vector }: Search, form: VectorForm): object {
  return {
    query,
    queryEmbedding: vectorIn(form, vector),
    embeddingModel: TEST_MODEL_NAME,
    embeddingDim: EMBEDDING_DIM,
    scope: { include: ['team', 'client'] },
  };
}
