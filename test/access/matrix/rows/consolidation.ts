import { along, CLAIM } from '../../../support/team.ts';
import { ALIKE, ALIKE_AXIS, capturedBy } from '../library-targets.ts';
import { hiddenOf, type Place, thingOf } from '../place.ts';
import type { Cell, Row, Values } from '../row.ts';
import {
  ALL_LAYERS,
  CLIENTS,
  type ClientName,
  client,
  kindIn,
  LAYERS,
  type LayerName,
  ofClient,
  scoped,
  within,
} from './layers.ts';

const capture = ({ clientId }: Values, { canaries, at, caller }: Cell) => {
  const word = () => canaries.word(capturedBy(caller.name), at.key);
  const texts = { sessionId: word(), summary: `walrus ${word()}`, metadata: { note: word() } };
  return { ...texts, scope: scoped(clientId) };
};

/** What a capture of the caller is planted as: hidden where the caller cannot read it. */
function heldThing(at: Place, clientId: string | null, { name }: Cell['caller']) {
  if (name === 'reader') return thingOf(at, clientId);
  const own = capturedBy(name);
  const readsA = own === 'capture-granted' || own === 'capture-reading';
  const reads = clientId === null || (clientId === at.clientA && readsA);
  return reads ? own : hiddenOf(at, clientId);
}

/** Captures by the Owner and by the caller in every layer. */
async function stageEverywhere({ targets, at, caller }: Cell): Promise<void> {
  for (const clientId of [null, at.clientA, at.clientB, at.archivedClient]) {
    const others = { author: at.ownerId, thing: hiddenOf(at, clientId) };
    const own = { author: caller.userId, thing: heldThing(at, clientId, caller) };
    for (const captured of [others, own]) await targets.library.capture(at, { clientId, ...captured });
  }
}

/** A capture of the caller's in a layer; of someone else's where it is to be out of reach. */
function capturedIn({ at, caller, foreign }: Cell, name: LayerName) {
  const clientId = LAYERS[name](at);
  return foreign
    ? { clientId, author: at.ownerId, thing: hiddenOf(at, clientId) }
    : { clientId, author: caller.userId, thing: heldThing(at, clientId, caller) };
}

/** A batch with a capture of one layer, and with `beside`, of another one. */
const batch = (name: LayerName, beside?: LayerName) => (cell: Cell) =>
  cell.targets.library.batch(
    cell.at,
    capturedIn(cell, name),
    beside === undefined ? undefined : capturedIn(cell, beside),
  );

/** Open batches of the caller and of the Owner in every layer. */
async function lendEverywhere(cell: Cell): Promise<Values> {
  for (const name of ALL_LAYERS) {
    await batch(name)(cell);
    await batch(name)({ ...cell, foreign: true });
  }
  return {};
}

/** A batch can be released by its caller, even if the caller can no longer write or read its captures. */
const RELEASED_ANYWAY = {
  'the grant was deleted': '200',
  'the grant was lowered': '200',
  'the role was lowered': '200',
  'the client was archived': '200',
} as const;

/** The row of a release of the caller's own batch in one layer, whatever the caller can do there now. */
function releaseRow(name: LayerName): Row {
  return {
    route: 'POST /v1/memory/consolidation/release',
    about: `in ${name}`,
    kind: 'Team, own work',
    ok: 200,
    ids: ['batchId'],
    values: batch(name),
    body: ({ batchId }) => ({ batchId }),
    repeats: ({ batchId = '' }) => batchId,
    ...(name === 'client A' ? { late: RELEASED_ANYWAY } : {}),
  };
}

/**
 * Items that are like every memory there is, by words and by meaning: what is similar is answered with them.
 * @param name where they come to lie
 */
const items =
  (name: LayerName, more: (values: Values) => object = () => ({})) =>
  (values: Values, { canaries, at, caller }: Cell) => {
    const { batchId, captureId } = values;
    const item = (word: () => string) => ({
      captureIds: [captureId],
      title: word(),
      content: `${ALIKE} ${word()}`,
      ...more(values),
    });
    const published = () => canaries.word(thingOf(at, LAYERS[name](at)), at.key);
    const reviewed = () => canaries.word(capturedBy(caller.name), at.key);
    return {
      batchId,
      items: [
        { action: 'publish', ...item(published), embedding: along(ALIKE_AXIS), ...CLAIM },
        { ...item(reviewed), action: 'review', supersedes: undefined },
        { action: 'discard', captureIds: [captureId] },
      ],
    };
  };

/** The rows of captures and batches, for one layer. */
function layerRows(name: LayerName): Row[] {
  const kind = kindIn(name, 'write');
  return [
    { route: 'POST /v1/memory/captures', kind, ok: 201, ...within(name), body: capture },
    {
      route: 'POST /v1/memory/consolidation/complete',
      ...(name === 'Team layer' ? {} : { about: `of a capture in ${name}` }),
      kind,
      ok: 200,
      ids: ['batchId'],
      values: batch(name),
      body: items(name),
    },
  ];
}

/** Rows for claims of one client's captures, and for memories of that client from captures of another layer. */
function clientRows(name: ClientName): Row[] {
  return [
    {
      route: 'POST /v1/memory/consolidation/claim',
      about: name,
      kind: kindIn(name, 'write'),
      ok: 200,
      ...ofClient,
      values: async (cell) => {
        await stageEverywhere(cell);
        return client(name)(cell);
      },
      body: ({ clientId }) => ({ clientId, limit: 20 }),
    },
    {
      route: 'POST /v1/memory/consolidation/complete',
      about: `of a capture in the Team layer, for ${name}`,
      // Elsewhere than where the capture lies: only with Full access, as where no grant reaches.
      kind: name === 'archived client' ? name : 'client B, write',
      ok: 200,
      ...ofClient,
      values: async (cell) => ({ ...(await batch('Team layer')(cell)), ...(await client(name)(cell)) }),
      body: items(name, ({ clientId }) => ({ scope: { clientId } })),
    },
  ];
}

/** Routes from captures to memories. */
export const CONSOLIDATION_ROWS: readonly Row[] = [
  ...ALL_LAYERS.flatMap(layerRows),
  ...CLIENTS.flatMap(clientRows),
  ...ALL_LAYERS.map(releaseRow),
  {
    route: 'GET /v1/memory/captures',
    kind: 'Team',
    ok: 200,
    values: async (cell) => {
      await stageEverywhere(cell);
      return {};
    },
    query: () => 'limit=200',
  },
  ...ALL_LAYERS.map(
    (name): Row => ({
      route: 'GET /v1/memory/captures/:id',
      about: `of the Owner in ${name}`,
      kind: name === 'archived client' ? 'archived client, by id' : 'Team, Full access, hidden from others',
      ok: 200,
      values: async ({ targets, at }) => {
        const clientId = LAYERS[name](at);
        const captured = { clientId, author: at.ownerId, thing: hiddenOf(at, clientId) };
        return { id: await targets.library.capture(at, captured) };
      },
    }),
  ),
  {
    route: 'GET /v1/memory/captures/:id',
    about: "of the caller's own",
    kind: 'Team',
    ok: 200,
    values: async ({ targets, at, caller, foreign }) => {
      const own = { author: caller.userId, thing: heldThing(at, null, caller) };
      const captured = foreign ? { author: at.ownerId, thing: hiddenOf(at, null) } : own;
      return { id: await targets.library.capture(at, { clientId: null, ...captured }) };
    },
  },
  {
    route: 'GET /v1/memory/consolidation/batches',
    kind: 'Team',
    ok: 200,
    values: lendEverywhere,
    query: () => 'limit=200',
  },
  {
    route: 'POST /v1/memory/consolidation/claim',
    kind: 'Team, own work',
    ok: 200,
    values: async (cell) => {
      await stageEverywhere(cell);
      return {};
    },
    body: () => ({ limit: 20 }),
  },
  {
    route: 'POST /v1/memory/consolidation/complete',
    about: 'of captures that are not in the batch',
    kind: 'Team layer, write',
    ok: 200,
    ids: ['captureId'],
    elsewhere: '400 invalid_request',
    values: batch('Team layer'),
    body: items('Team layer'),
  },
  {
    route: 'POST /v1/memory/consolidation/complete',
    about: 'of a capture in client A, for the Team layer',
    kind: 'client B, write',
    ok: 200,
    ids: ['batchId'],
    values: batch('client A'),
    body: items('Team layer', () => ({ scope: {} })),
  },
  {
    route: 'POST /v1/memory/consolidation/complete',
    about: 'that discards captures of the Team layer and of client A',
    kind: 'client B, write',
    ok: 200,
    ids: ['batchId'],
    values: batch('Team layer', 'client A'),
    body: ({ batchId, captureId, besideId }) => ({
      batchId,
      items: [{ action: 'discard', captureIds: [captureId, besideId] }],
    }),
  },
  {
    route: 'POST /v1/memory/consolidation/complete',
    about: 'in the place of another memory',
    kind: 'Team, Full access, change',
    ok: 200,
    refusalByBody: { refusal: '403 full_access_required', after: 'reading' },
    ids: ['supersedes'],
    values: async (cell) => ({
      ...(await batch('Team layer')(cell)),
      supersedes: (await cell.targets.library.memory(cell.at, 'published')).memoryId,
    }),
    body: items('Team layer', ({ supersedes }) => ({ supersedes })),
  },
];
