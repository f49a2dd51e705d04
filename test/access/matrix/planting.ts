import assert from 'node:assert/strict';
import type { App } from '../../../api/types.ts';
import type { Database } from '../../../db/driver/database.ts';
import { workspacePath } from '../../../shared/formats/workspace-path.ts';
import type { TestCompany } from '../../support/needs/database.ts';
import { along, CLAIM } from '../../support/team.ts';
import { deletion, file } from '../../support/workspace.ts';
import type { Canaries, PlaceKey, Thing } from './canaries.ts';
import { ALIKE, ALIKE_AXIS } from './library-targets.ts';
import { hiddenOf, type Place, pathThingOf, thingOf } from './place.ts';

/** A Team to be filled, by requests of its Owner. */
interface Bare extends TestCompany {
  key: PlaceKey;
  headers: Record<string, string>;
}

interface Tools {
  app: App;
  database: Database;
  canaries: Canaries;
}

/** Sends what must succeed. */
async function send<T>(
  { app }: Pick<Tools, 'app'>,
  request: { method: 'POST' | 'DELETE'; url: string; headers: Bare['headers']; payload?: object },
): Promise<T> {
  const answer = await app.inject(request);
  assert.ok(answer.statusCode < 300, `${request.method} ${request.url}: ${answer.body}`);
  return answer.body === '' ? (undefined as T) : answer.json<T>();
}

/**
 * Fills a Team by requests: the Team layer and three clients with a text, an import and a failed import each, with
 * captures, with memories and with files, searches, an invite; and archives one of the clients with all that it holds.
 */
export async function plantTeam(tools: Tools, bare: Bare): Promise<Place> {
  const { canaries } = tools;
  const { headers, key, ...team } = bare;
  const word = (thing: Thing) => canaries.word(thing, key);
  const post = <T>(url: string, payload: object) => send<T>(tools, { method: 'POST', url, headers, payload });
  const client = async (thing: Thing) => {
    const { id } = await post<{ id: string }>('/v1/team/clients', { name: word(thing) });
    return canaries.mark(id, thing, key);
  };
  const place: Place = {
    ...team,
    key,
    clientA: await client('client-a'),
    clientB: await client('client-b'),
    archivedClient: await client('shelved'),
  };
  for (const clientId of [null, place.clientA, place.clientB, place.archivedClient]) {
    await plantLayer(tools, bare, thingOf(place, clientId), clientId);
    await plantLibrary(tools, bare, place, clientId);
    await plantFiles(tools, bare, place, clientId);
  }
  for (const [thing, storeQueryText] of [
    ['search', true],
    ['unstored', false],
  ] as const) {
    const query = `heron ${word(thing)}`;
    await post('/v1/memory/search', { query, scope: {}, storeQueryText, queryEmbedding: along(2), ...CLAIM });
  }
  const { invite } = await post<{ invite: { id: string } }>('/v1/team/invites', {
    email: `${word('invited')}@example.com`,
    role: 'member',
    grants: [place.clientA, place.clientB].map((clientId) => ({ clientId, access: 'read' })),
  });
  canaries.mark(invite.id, 'invited', key);
  await send(tools, { method: 'DELETE', url: `/v1/team/clients/${place.archivedClient}`, headers });
  return place;
}

async function plantLayer(
  tools: Tools,
  { teamId, key, headers }: Bare,
  thing: Thing,
  clientId: string | null,
): Promise<void> {
  const word = () => tools.canaries.word(thing, key);
  const scope = clientId === null ? {} : { clientId };
  const post = <T>(url: string, payload: object) => send<T>(tools, { method: 'POST', url, headers, payload });
  await post('/v1/memory/ingest', {
    title: word(),
    text: `walrus ${word()}`,
    uri: `https://example.com/${word()}`,
    externalId: word(),
    metadata: { note: word() },
    scope,
  });
  const items = [1, 2].map(() => ({ filename: `${word()}.txt`, title: word(), text: `walrus ${word()}` }));
  const { imports } = await post<{ imports: { id: string }[] }>('/v1/memory/imports', { items, scope });
  await tools.database.query(
    `update memory.import set state = 'failed', error_code = 'no_text', error_message = $3
      where team_id = $1 and id = $2`,
    [teamId, imports[0]?.id, word()],
  );
}

/**
 * Captures of one layer in each of their states, and memories that are alike: one published, one that waits for
 * review. A third item was discarded.
 */
async function plantLibrary(
  tools: Tools,
  { key, headers }: Bare,
  place: Place,
  clientId: string | null,
): Promise<void> {
  const { canaries } = tools;
  const scope = clientId === null ? {} : { clientId };
  const post = <T>(url: string, payload: object) => send<T>(tools, { method: 'POST', url, headers, payload });
  const hidden = () => canaries.word(hiddenOf(place, clientId), key);
  const capture = async () => {
    const body = { sessionId: hidden(), summary: `walrus ${hidden()}`, metadata: { note: hidden() }, scope };
    const { capture: made } = await post<{ capture: { id: string } }>('/v1/memory/captures', body);
    return made.id;
  };
  const claim = async () => {
    const captureIds = [await capture(), await capture(), await capture()];
    // The Team layer is filled first, so that nothing of another is staged where none is named.
    const { batch } = await post<{ batch: { id: string } }>('/v1/memory/consolidation/claim', {
      ...scope,
      limit: 20,
    });
    return { batchId: batch.id, captureIds };
  };
  const memory = (word: () => string) => ({
    title: word(),
    content: `${ALIKE} ${word()}`,
    metadata: { note: word() },
    embedding: along(ALIKE_AXIS),
    ...CLAIM,
  });
  const { batchId, captureIds } = await claim();
  const [published, reviewed, discarded] = captureIds.map((id) => [id]);
  const items = [
    {
      captureIds: published,
      action: 'publish',
      ...memory(() => canaries.word(thingOf(place, clientId), key)),
    },
    { captureIds: reviewed, action: 'review', ...memory(hidden) },
    { captureIds: discarded, action: 'discard' },
  ];
  await post('/v1/memory/consolidation/complete', { batchId, items });
  // Lent to the Owner from here on; the last one stays staged.
  await claim();
  await capture();
}

/** A file of two versions in one layer, and one that is deleted. */
async function plantFiles(
  tools: Tools,
  { key, headers }: Bare,
  place: Place,
  clientId: string | null,
): Promise<void> {
  const content = () => `walrus ${tools.canaries.word(thingOf(place, clientId), key)}`;
  const path = () =>
    workspacePath(clientId, `notes/${tools.canaries.word(pathThingOf(place, clientId), key)}.md`);
  const push = (files: readonly object[]) =>
    send(tools, { method: 'POST', url: '/v1/workspace/push', headers, payload: { files } });
  const [kept, gone] = [path(), path()];
  await push([file(kept, content()), file(gone, content())]);
  await push([file(kept, content(), 1), deletion(gone, 1)]);
}
