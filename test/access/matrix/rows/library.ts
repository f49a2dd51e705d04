import { ALIKE, type MemoryKind } from '../library-targets.ts';
import { thingOf } from '../place.ts';
import type { Cell, Row, Values } from '../row.ts';
import type { CallerName } from '../table.ts';
import { ALL_LAYERS, CLIENTS, client, kindIn, LAYERS, type LayerName, listOf, within } from './layers.ts';

/** The rows of single sources, for one layer. */
function sourceRows(name: LayerName): Row[] {
  const inTeam = name === 'Team layer';
  const about = (text: string) => (inTeam ? text : `${text} in ${name}`).trim();
  const source =
    (author: 'Owner' | 'caller', state: 'source' | 'archivedSource' | 'versionedSource' = 'source') =>
    async (cell: Cell) => {
      const { targets, at, caller, foreign } = cell;
      const own = author === 'caller' && !foreign;
      return { id: await targets.library[state](at, LAYERS[name](at), own ? caller.userId : at.ownerId) };
    };
  const retitled = (_values: Values, { canaries, at }: Cell) => ({
    title: canaries.word(thingOf(at, LAYERS[name](at)), at.key),
  });
  const one = { ...(inTeam ? {} : { about: about('one') }), kind: kindIn(name, 'read by id'), ok: 200 };
  const changes = (author: 'Owner' | 'caller', whose: string, record: string): Row[] => {
    const common = { about: about(whose), kind: kindIn(name, record), ok: 200, values: source(author) };
    return [
      { route: 'DELETE /v1/memory/sources/:id', ...common, ok: 204 },
      { route: 'PATCH /v1/memory/sources/:id', ...common, body: retitled },
      {
        route: 'POST /v1/memory/sources/:id/restore',
        ...common,
        values: source(author, 'archivedSource'),
      },
      {
        route: 'POST /v1/memory/sources/:id/versions/:version/restore',
        ...common,
        values: async (cell) => ({ ...(await source(author, 'versionedSource')(cell)), version: '1' }),
      },
    ];
  };
  return [
    { route: 'GET /v1/memory/sources/:id', ...one, values: source('Owner'), query: () => 'text=true' },
    { route: 'GET /v1/memory/sources/:id/versions', ...one, values: source('Owner', 'versionedSource') },
    {
      route: 'GET /v1/memory/sources/:id/original',
      ...one,
      values: async ({ targets, at }) => ({ id: await targets.library.original(at, LAYERS[name](at)) }),
    },
    ...changes('Owner', "someone else's", "someone else's record"),
    // Only those with Full access could have made one in client B.
    ...(name === 'client B' ? [] : changes('caller', "the caller's own", 'own record')),
  ];
}

/** The rows of moves of sources, each with a source of its own. */
function moveRows(): Row[] {
  const route = 'PATCH /v1/memory/sources/:id';
  const common = {
    route,
    ok: 200,
    body: (values: Values) => ({ clientId: values['clientId'] ?? null }),
  } as const;
  const own = ({ caller, at, foreign }: Cell) => (foreign ? at.ownerId : caller.userId);
  return [
    ...CLIENTS.map(
      (name): Row => ({
        ...common,
        about: `to ${name}`,
        kind: kindIn(name, 'write'),
        values: async (cell) => {
          const id = await cell.targets.library.source(cell.at, null, own(cell));
          return { ...(await client(name)(cell)), id };
        },
      }),
    ),
    {
      ...common,
      about: "someone else's to client B",
      kind: "client B, write, someone else's record",
      values: async (cell) => {
        const id = await cell.targets.library.source(cell.at, null, cell.at.ownerId);
        return { ...(await client('client B')(cell)), id };
      },
    },
    {
      ...common,
      about: 'out of client A',
      kind: 'client A, own record, taken out',
      values: async (cell) => {
        const { targets, at, canaries } = cell;
        // All of the Team can read it then.
        const word = canaries.word('layer', at.key);
        return { id: await targets.library.source(at, at.clientA, own(cell), word) };
      },
    },
  ];
}

/** The rows of changes of many sources: what a caller cannot change is a problem in a 200. */
function batchRows(): Row[] {
  const common = {
    route: 'POST /v1/memory/sources/batch',
    ok: 200,
    values: async ({ targets, at, caller, foreign }: Cell) => ({
      id: await targets.library.source(at, null, foreign ? at.ownerId : caller.userId),
    }),
  } as const;
  return [
    {
      ...common,
      kind: 'Team, own work',
      body: ({ id }) => ({ ids: [id], change: { tags: { add: ['a tag'] } } }),
    },
    ...CLIENTS.map(
      (name): Row => ({
        ...common,
        about: `to ${name}`,
        kind: kindIn(name, 'write'),
        values: async (cell) => ({ ...(await client(name)(cell)), ...(await common.values(cell)) }),
        body: ({ id, clientId }) => ({ ids: [id], change: { clientId } }),
      }),
    ),
  ];
}

/** Callers who cannot read the Team. */
const OUTSIDE: readonly CallerName[] = ['nobody', 'stranger', 'neighbour', 'Admin'];

/** The rows of feedback on a hit of the caller's own search, for one layer. */
function feedbackRow(name: LayerName): Row {
  const inTeam = name === 'Team layer';
  return {
    route: 'POST /v1/memory/feedback',
    ...(inTeam ? {} : { about: `on a hit in ${name}` }),
    kind: inTeam ? 'Team, own work' : kindIn(name, 'own work'),
    ok: 201,
    ids: ['queryId', 'chunkId'],
    // The audit of the Team shows the names of those who searched, so nobody from outside has.
    values: ({ targets, at, caller, foreign }) =>
      targets.library.hit(
        at,
        LAYERS[name](at),
        foreign || OUTSIDE.includes(caller.name) ? at.ownerId : caller.userId,
      ),
    body: (values) => ({ ...values, verdict: 'wrong' }),
  };
}

/** A memory of a layer. */
const memory =
  (kind: MemoryKind, name: LayerName = 'Team layer') =>
  ({ targets, at }: Cell) =>
    targets.library.memory(at, kind, LAYERS[name](at));

/** The rows of single memories and of their versions. */
function memoryRows(): Row[] {
  const routes = ['GET /v1/memory/memories/:id', 'GET /v1/memory/memories/:id/versions'];
  return routes.flatMap((route): Row[] => [
    { route, kind: 'Team', ok: 200, values: memory('published') },
    {
      route,
      about: 'in review',
      kind: 'Team, Full access, hidden from others',
      ok: 200,
      values: memory('review'),
    },
    ...CLIENTS.map(
      (name): Row => ({
        route,
        about: `of ${name}`,
        kind: kindIn(name, 'read by id'),
        ok: 200,
        values: memory('published', name),
      }),
    ),
  ]);
}

/** The rows of decisions, each on a memory of its own. */
function decisionRows(): Row[] {
  const edited = ({ canaries, at }: Cell, thing: 'layer' | 'client-a' = 'layer') => ({
    content: `${ALIKE} ${canaries.word(thing, at.key)}`,
  });
  const route = 'POST /v1/memory/memories';
  const common = { route, kind: 'Team, Full access, change', ok: 200, ids: ['memoryId'] } as const;
  const plain = [
    ['discard', 'review', 'client A'],
    ['delete', 'published', 'client B'],
    ['reopen', 'discarded', 'client A'],
    ['unpublish', 'published', 'client A'],
  ] as const;
  return [
    ...plain.map(
      ([action, kind, name]): Row => ({
        ...common,
        about: `${action} one of ${name}`,
        values: memory(kind, name),
        body: ({ memoryId }) => ({ action, memoryId }),
      }),
    ),
    {
      ...common,
      about: 'publish one of client A',
      values: memory('to be published', 'client A'),
      body: ({ memoryId }, cell) => ({ action: 'publish', memoryId, ...edited(cell, 'client-a') }),
    },
    {
      ...common,
      about: 'update one of client A',
      values: memory('published', 'client A'),
      body: ({ memoryId }, cell) => ({ action: 'update', memoryId, version: 1, ...edited(cell, 'client-a') }),
    },
    {
      ...common,
      about: 'restore',
      values: memory('published'),
      body: ({ memoryId }) => ({ action: 'restore', memoryId, version: 1 }),
    },
    {
      ...common,
      about: 'publish in the place of another',
      ids: ['memoryId', 'supersedes'],
      values: async (cell) => ({
        ...(await memory('to be published')(cell)),
        supersedes: (await memory('published')(cell)).memoryId,
      }),
      body: ({ memoryId, supersedes }, cell) => ({
        action: 'publish',
        memoryId,
        supersedes,
        ...edited(cell),
      }),
    },
    {
      ...common,
      about: 'move to client A',
      values: async (cell) => ({
        ...(await memory('published')(cell)),
        ...(await client('client A')(cell)),
      }),
      body: ({ memoryId, clientId }) => ({ action: 'move', memoryId, clientId }),
      // The client is named.
      late: { 'the client was archived': '403 scope_forbidden' },
    },
    {
      ...common,
      about: 'move from client A to client B',
      values: async (cell) => ({
        ...(await memory('published', 'client A')(cell)),
        ...(await client('client B')(cell)),
      }),
      body: ({ memoryId, clientId }) => ({ action: 'move', memoryId, clientId }),
    },
    {
      ...common,
      about: 'keep a source of client A',
      values: async ({ targets, at }) => ({
        memoryId: await targets.library.questionedSource(at, at.clientA),
      }),
      body: ({ memoryId }) => ({ action: 'keep', memoryId }),
    },
    {
      route,
      about: 'several at once',
      kind: common.kind,
      ok: 200,
      values: memory('published'),
      body: ({ memoryId }) => ({ decisions: [{ action: 'delete', memoryId }] }),
    },
    {
      ...common,
      about: 'on one of an archived client',
      kind: 'Team, Full access, not there',
      values: memory('published', 'archived client'),
      body: ({ memoryId }) => ({ action: 'delete', memoryId }),
    },
  ];
}

/** The rows of lists, of all layers or narrowed to one client. */
function listRows(name: LayerName): Row[] {
  const common = { ok: 200, ...within(name), query: listOf };
  const kind = name === 'archived client' ? 'Team, Full access, archived client' : 'Team, Full access';
  return [
    { route: 'GET /v1/memory/memories', kind, ...common },
    { route: 'GET /v1/memory/sources', kind: kindIn(name, 'read'), ...common },
    { route: 'GET /v1/memory/tags', kind: kindIn(name, 'read'), ...common },
  ];
}

/** Routes of memories and of sources. */
export const LIBRARY_ROWS: readonly Row[] = [
  ...ALL_LAYERS.map(feedbackRow),
  {
    route: 'GET /v1/memory/memories',
    about: 'of one source',
    kind: 'Team, Full access',
    ok: 200,
    ids: ['sourceId'],
    elsewhere: '200',
    values: ({ targets, at }) => targets.library.memory(at, 'published'),
    query: ({ sourceId }) => `sourceId=${sourceId}`,
  },
  ...ALL_LAYERS.flatMap(sourceRows),
  ...moveRows(),
  ...batchRows(),
  ...ALL_LAYERS.flatMap(listRows),
  ...memoryRows(),
  ...decisionRows(),
];
