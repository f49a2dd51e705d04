import * as api from './client.ts';

/*
 * A program of a user of the generated client. It is compiled and run in the folder that has the client: see
 * typed-client.test.ts.
 */

/** The answer with this status. Its data has the type that the document gives to the status. */
function withStatus<R extends { status: number; data: unknown }, S extends R['status']>(
  answer: R,
  status: S,
): Extract<R, { status: S }> {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.data)}`);
  return answer as Extract<R, { status: S }>;
}

/** Calls routes as a caller, and returns what they answered. */
export async function callService(token: string, teamId: string) {
  const options = { headers: { authorization: `Bearer ${token}`, 'memory-team': teamId } };
  const { ok } = withStatus(await api.getHealth(), 200).data;
  const { teams } = withStatus(await api.getSession(options), 200).data;
  const client = withStatus(await api.createClient({ name: 'Northwind' }, options), 201).data;
  const { clients } = withStatus(await api.getSelectedTeam(options), 200).data;

  const scope: api.WriteScope = { clientId: client.id };
  const ingest: api.IngestRequest = { title: 'Nests', text: 'Herons nest in tall trees.', scope };
  const { source } = withStatus(await api.ingestSource(ingest, options), 201).data;
  const { items } = withStatus(
    await api.listSources({ clientId: client.id, kind: 'ingest' }, options),
    200,
  ).data;
  const search: api.SearchRequest = { query: 'heron', embeddingMode: 'auto', scope };
  const { hits } = withStatus(await api.searchMemory(search, options), 200).data;
  const [hit] = hits;
  if (hit === undefined) throw new Error('nothing was found');
  const { chunks } = withStatus(await api.expandChunk({ chunkId: hit.chunk_id }, options), 200).data;

  const summary = { sessionId: 'watch-1', summary: 'The herons came back.' };
  const { capture } = withStatus(await api.stageCapture(summary, options), 201).data;
  const { batch } = withStatus(await api.claimCaptures({ limit: 1 }, options), 200).data;

  withStatus(await api.archiveSource(source.id, options), 204);
  const { code, status } = withStatus(await api.getSource('unknown', {}, options), 404).data;
  const refused = withStatus(await api.listAccessRequests(), 401);

  return {
    ok,
    teams: teams.map(({ id, access }) => `${id} ${access}`),
    clients,
    listed: items.map(({ id, title }) => ({ id, title })),
    found: { source: hit.source_id, client: hit.client_id, texts: chunks.map(({ text }) => text) },
    claimed: batch?.captures.map(({ id }) => id) ?? [],
    sourceId: source.id,
    clientId: client.id,
    captureId: capture.id,
    missing: `${status} ${code}`,
    refused: { code: refused.data.code, requestId: refused.headers.get('x-request-id') },
  };
}
