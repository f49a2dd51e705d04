import * as api from './client';

/*
 * A program of a user of the client that orval generates. It is compiled and run in the folder that has this client: see
 * generators.test.ts. Orval writes the address into the client.
 */

/** The data of an answer with this status. It has the type that the document gives to the status. */
function dataWith<R extends { status: number; data: unknown }, S extends R['status']>(
  answer: R,
  status: S,
): Extract<R, { status: S }>['data'] {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.data)}`);
  return answer.data;
}

/** Calls ten routes as a caller, and returns what they answered. */
export async function callService(_baseUrl: string, token: string, teamId: string) {
  const options = { headers: { authorization: `Bearer ${token}`, 'memory-team': teamId } };
  const body = { title: 'Nests', text: 'Herons nest in tall trees.' };
  const { ok } = dataWith(await api.getHealth(), 200);
  const { teams } = dataWith(await api.getSession(options), 200);
  const team = dataWith(await api.getSelectedTeam(options), 200);
  const { source } = dataWith(await api.ingestSource(body, options), 201);
  const { items } = dataWith(await api.listSources({ kind: 'ingest', limit: 5 }, options), 200);
  const { hits } = dataWith(
    await api.searchMemory({ query: 'heron', embeddingMode: 'keyword', scope: {} }, options),
    200,
  );
  const chunkId = hits[0]?.chunk_id ?? '';
  const { chunks } = dataWith(await api.expandChunk({ chunkId }, options), 200);
  const archived = await api.archiveSource(source.id, options);
  const missing = dataWith(await api.getSource('unknown', {}, options), 404);
  const refused = dataWith(await api.listImports(), 401);
  return {
    ok,
    teams: teams.map((one) => one.id),
    team: team.id,
    titles: items.map(({ title }) => title),
    texts: chunks.map(({ text }) => text),
    archived: archived.status,
    missing: missing.code,
    refused: refused.code,
  };
}
