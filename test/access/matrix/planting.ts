import type { App } from '../../../api/types.ts';
import type { Database } from '../../../db/driver/database.ts';
import { workspacePath } from '../../../shared/formats/workspace-path.ts';
import { callerOf } from '../../support/client/client.ts';
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

/**
 * Fills a Team by requests: the Team layer and three clients with a text, an import and a failed import each, with
 * captures, with memories and with files, searches, an invite; and archives one of the clients with all that it holds.
 */
export async function plantTeam(tools: Tools, bare: Bare): Promise<Place> {
  const { canaries } = tools;
  const { headers, key, ...team } = bare;
  const word = (thing: Thing) => canaries.word(thing, key);
  const { api } = callerOf(tools.app, headers);
  const client = async (thing: Thing) => {
    const { id } = await api.createClient({ name: word(thing) });
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
    await api.searchMemory({ query, scope: {}, storeQueryText, queryEmbedding: along(2), ...CLAIM });
  }
  const { invite } = await api.createInvite({
    email: `${word('invited')}@example.com`,
    role: 'member',
    grants: [place.clientA, place.clientB].map((clientId) => ({ clientId, access: 'read' })),
  });
  canaries.mark(invite.id, 'invited', key);
  await api.archiveClient(place.archivedClient);
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
  const { api } = callerOf(tools.app, headers);
  await api.ingestSource({
    title: word(),
    text: `walrus ${word()}`,
    uri: `https://example.com/${word()}`,
    externalId: word(),
    metadata: { note: word() },
    scope,
  });
  const items = [1, 2].map(() => ({ filename: `${word()}.txt`, title: word(), text: `walrus ${word()}` }));
  const { imports } = await api.importFiles({ items, scope });
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
  const { api } = callerOf(tools.app, headers);
  const hidden = () => canaries.word(hiddenOf(place, clientId), key);
  const capture = async () => {
    const body = { sessionId: hidden(), summary: `walrus ${hidden()}`, metadata: { note: hidden() }, scope };
    const { capture: made } = await api.stageCapture(body);
    return made.id;
  };
  const claim = async () => {
    const captureIds = [await capture(), await capture(), await capture()];
    // The Team layer is filled first, so that nothing of another is staged where none is named.
    const { batch } = await api.claimCaptures({ ...scope, limit: 20 });
    return { batchId: batch!.id, captureIds };
  };
  const memory = (word: () => string) => ({
    title: word(),
    content: `${ALIKE} ${word()}`,
    metadata: { note: word() },
    embedding: along(ALIKE_AXIS),
    ...CLAIM,
  });
  const { batchId, captureIds } = await claim();
  const [published = [], reviewed = [], discarded = []] = captureIds.map((id) => [id]);
  const items = [
    {
      captureIds: published,
      action: 'publish',
      ...memory(() => canaries.word(thingOf(place, clientId), key)),
    },
    { captureIds: reviewed, action: 'review', ...memory(hidden) },
    { captureIds: discarded, action: 'discard' },
  ];
  await api.completeCaptures({ batchId, items });
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
  const { api } = callerOf(tools.app, headers);
  const [kept, gone] = [path(), path()];
  await api.pushFiles({ files: [file(kept, content()), file(gone, content())] });
  await api.pushFiles({ files: [file(kept, content(), 1), deletion(gone, 1)] });
}
