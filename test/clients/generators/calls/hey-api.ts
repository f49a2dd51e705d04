import { client } from './client/client.gen';
import * as api from './client/index';

/*
 * A program of a user of the client that @hey-api/openapi-ts generates. It is compiled and run in the folder that has
 * this client: see generators.test.ts.
 */

/** Calls ten routes as a caller, and returns what they answered. */
export async function callService(baseUrl: string, token: string, teamId: string) {
  const headers = { authorization: `Bearer ${token}`, 'memory-team': teamId };
  client.setConfig({ baseUrl });
  const body = { title: 'Nests', text: 'Herons nest in tall trees.' };
  const health = await api.getHealth();
  const session = await api.getSession({ headers });
  const team = await api.getSelectedTeam({ headers });
  const ingested = await api.ingestSource({ headers, body });
  const listed = await api.listSources({ headers, query: { kind: 'ingest', limit: 5 } });
  const found = await api.searchMemory({
    headers,
    body: { query: 'heron', embeddingMode: 'keyword', scope: {} },
  });
  const [hit] = found.data?.hits ?? [];
  const expanded = await api.expandChunk({ headers, body: { chunkId: hit?.chunk_id ?? '' } });
  const id = ingested.data?.source.id ?? '';
  const archived = await api.archiveSource({ headers, path: { id } });
  const missing = await api.getSource({ headers, path: { id: 'unknown' } });
  const refused = await api.listImports();
  return {
    ok: health.data?.ok,
    teams: session.data?.teams.map((one) => one.id),
    team: team.data?.id,
    titles: listed.data?.items.map(({ title }) => title),
    texts: expanded.data?.chunks.map(({ text }) => text),
    archived: archived.response?.status,
    missing: missing.error?.code,
    refused: refused.error?.code,
  };
}
