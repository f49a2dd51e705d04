import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

/*
 * A program of a user of openapi-fetch. It is compiled and run in the folder that has the generated types: see
 * generators.test.ts.
 */

/** Calls ten routes as a caller, and returns what they answered. */
export async function callService(baseUrl: string, token: string, teamId: string) {
  const api = createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${token}`, 'memory-team': teamId },
  });
  const body = { title: 'Nests', text: 'Herons nest in tall trees.' };
  const health = await api.GET('/v1/health');
  const session = await api.GET('/v1/auth/session');
  const team = await api.GET('/v1/team');
  const ingested = await api.POST('/v1/memory/ingest', { body });
  const listed = await api.GET('/v1/memory/sources', { params: { query: { kind: 'ingest', limit: 5 } } });
  const found = await api.POST('/v1/memory/search', {
    body: { query: 'heron', embeddingMode: 'auto' },
  });
  const [hit] = found.data?.hits ?? [];
  const expanded = await api.POST('/v1/memory/expand', { body: { chunkId: hit?.chunk_id ?? '' } });
  const id = ingested.data?.source.id ?? '';
  const archived = await api.DELETE('/v1/memory/sources/{id}', { params: { path: { id } } });
  const missing = await api.GET('/v1/memory/sources/{id}', { params: { path: { id: 'unknown' } } });
  const refused = await createClient<paths>({ baseUrl }).GET('/v1/memory/imports');
  return {
    ok: health.data?.ok,
    teams: session.data?.teams.map((one) => one.id),
    team: team.data?.id,
    titles: listed.data?.items.map(({ title }) => title),
    texts: expanded.data?.chunks.map(({ text }) => text),
    archived: archived.response.status,
    missing: missing.error?.code,
    refused: refused.error?.code,
  };
}
