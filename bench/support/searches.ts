import { type Database, transaction } from '../../db/driver/database.ts';
import { type SearchFilters, searchChunks } from '../../db/queries/search/search.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import { DEFAULT_TOP_K } from '../../shared/schemas/search.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { base64Of } from '../../test/support/base64-vector.ts';
import { TEST_MODEL_NAME, type TestCompany } from '../../test/support/needs/database.ts';
import { openStandInVectors } from '../../test/support/stand-in-vectors.ts';
import type { Api } from './child.ts';
import { keepConnection, requestBytes } from './connection.ts';

/** Inserts a session of the Owner of a Team. Returns the headers of its requests. */
export async function sessionHeaders(
  database: Database,
  { companyId, ownerId, teamId }: TestCompany,
): Promise<Record<string, string>> {
  const token = newToken();
  await database.query(
    'insert into identity.session (company_id, id, user_id, token_hash) values ($1, $2, $3, $4)',
    [companyId, newId(), ownerId, hashToken(token)],
  );
  return { authorization: `Bearer ${token}`, 'memory-team': teamId };
}

/** What draws the searches of a Team. */
interface Drawing {
  text: { question(): string };
  vectors: { vector(): Float32Array };
}

/** A hybrid search of a whole Team. */
export interface Search {
  query: string;
  vector: Float32Array;
}

export const drawSearches = ({ text, vectors }: Drawing, count: number): Search[] =>
  Array.from({ length: count }, () => ({ query: text.question(), vector: vectors.vector() }));

/** The form in which a client sends a vector. */
export type VectorForm = 'base64' | 'numbers';

/** A vector as a body has it. */
export const vectorIn = (form: VectorForm, vector: Float32Array): string | number[] =>
  form === 'base64' ? base64Of(vector) : [...vector];

/** What a body with vectors says of them. */
export const CLAIM = { embeddingModel: TEST_MODEL_NAME, embeddingDim: EMBEDDING_DIM };

/** The request of a search. */
export const searchRequest = (
  url: URL,
  headers: Record<string, string>,
  { query, vector }: Search,
  form: VectorForm = 'base64',
): Buffer =>
  requestBytes(url, '/v1/memory/search', headers, {
    query,
    queryEmbedding: vectorIn(form, vector),
    ...CLAIM,
    scope: { include: ['team', 'client'] },
  });

/** An API that is asked over one connection. */
export interface Searcher {
  api: Api;
  /** Sends a request that is made already. */
  readonly send: (request: Buffer) => Promise<void>;
  readonly requestOf: (search: Search, form?: VectorForm) => Buffer;
  /** Base64, if the API takes it: earlier ones take numbers only. */
  form: VectorForm;
  close(): Promise<void>;
}

export async function openSearcher(api: Api, headers: Record<string, string>): Promise<Searcher> {
  const connection = await keepConnection(api.url);
  const requestOf = (search: Search, form?: VectorForm) => searchRequest(api.url, headers, search, form);
  let form: VectorForm = 'base64';
  try {
    await connection.send(requestOf({ query: 'which form', vector: openStandInVectors(1).vector() }));
  } catch (error) {
    if (!(error as Error).message.startsWith('HTTP/1.1 400 ')) throw error;
    form = 'numbers';
  }
  return {
    api,
    form,
    send: (request) => connection.send(request),
    requestOf,
    close: async () => {
      connection.close();
      await api.child.end();
    },
  };
}

/** A query that has no word, so only the vectors decide. */
export const WORDLESS = '?';

/** What is asked of the database. Without a vector, it is searched by words only. */
export interface Asked extends SearchFilters {
  query: string;
  embedding: Float32Array | null;
}

/** Makes the terms of a query. Returns what searches. */
export function prepareSearch(
  database: Database,
  scope: TeamScope,
  { query, ...asked }: Asked,
  topK = DEFAULT_TOP_K,
) {
  const terms = queryTerms(scope.teamId, query);
  return () =>
    transaction(database, scope, (tx) => searchChunks(tx, { ...asked, terms, model: TEST_MODEL_NAME, topK }));
}
