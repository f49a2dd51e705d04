import { along, CLAIM } from '../../../support/team.ts';
import { thingOf } from '../place.ts';
import type { Cell, Row, Values } from '../row.ts';
import { IMPORT_ROWS } from './imports.ts';
import {
  ALL_LAYERS,
  CLIENTS,
  client,
  kindIn,
  LAYERS,
  type LayerName,
  listOf,
  ofClient,
  scoped,
  within,
} from './layers.ts';

function search(scope: (values: Values) => object) {
  return (values: Values, { canaries, at }: Cell) => ({
    query: `walrus ${canaries.word('unstored', at.key)}`,
    scope: scope(values),
    topK: 50,
    queryEmbedding: along(1),
    ...CLAIM,
  });
}

/** A text that lies in the layer which it names. */
const ingest = ({ clientId }: Values, { canaries, at }: Cell) => {
  const word = () => canaries.word(thingOf(at, clientId ?? null), at.key);
  return { title: word(), text: `walrus ${word()}`, scope: scoped(clientId) };
};

const imports = ({ clientId }: Values, { canaries, at }: Cell) => {
  const word = () => canaries.word(thingOf(at, clientId ?? null), at.key);
  return {
    items: [{ filename: `${word()}.txt`, title: word(), text: `walrus ${word()}` }],
    scope: scoped(clientId),
  };
};

/** The rows of routes that take a scope or an id, for one layer. */
function layerRows(name: LayerName): Row[] {
  const about = name === 'Team layer' ? {} : { about: `of ${name}` };
  return [
    { route: 'POST /v1/memory/ingest', kind: kindIn(name, 'write'), ok: 201, ...within(name), body: ingest },
    {
      route: 'POST /v1/memory/imports',
      kind: kindIn(name, 'write'),
      ok: 202,
      ...within(name),
      body: imports,
    },
    { route: 'GET /v1/memory/imports', kind: kindIn(name, 'read'), ok: 200, ...within(name), query: listOf },
    {
      route: 'GET /v1/memory/imports/:id',
      ...about,
      kind: kindIn(name, 'read by id'),
      ok: 200,
      values: async ({ targets, at }) => ({ id: await targets.import(at, LAYERS[name](at)) }),
    },
    {
      route: 'POST /v1/memory/expand',
      ...about,
      kind: 'Team',
      ok: 200,
      reads: true,
      ids: ['chunkId'],
      elsewhere: '200',
      values: async ({ targets, at }) => ({ chunkId: await targets.chunk(at, LAYERS[name](at)) }),
      body: ({ chunkId }) => ({ chunkId }),
    },
  ];
}

/** An explained search in the Team layer that names a source of a layer. */
function explainedSource(name: LayerName): Row {
  return {
    route: 'POST /v1/memory/search',
    about: `explained for a source in ${name}`,
    kind: name === 'archived client' ? 'Team, Full access, not there' : 'Team, Full access',
    ok: 200,
    refusalByBody: { refusal: '403 full_access_required', after: 'reading' },
    reads: true,
    ids: ['explainSource'],
    values: async ({ targets, at }) => ({
      explainSource: await targets.library.source(at, LAYERS[name](at), at.ownerId),
    }),
    body: (values, cell) => ({
      ...search(() => ({}))(values, cell),
      query: 'walrus',
      explainSource: values['explainSource'],
    }),
  };
}

/** Routes for the memory of a Team. */
export const MEMORY_ROWS: readonly Row[] = [
  { route: 'GET /v1/memory/audit', kind: 'Team, Full access', ok: 200, query: () => 'limit=200' },
  { route: 'GET /v1/memory/status', kind: 'Team', ok: 200 },
  {
    route: 'POST /v1/memory/search',
    kind: 'Team',
    ok: 200,
    reads: true,
    body: search(() => ({ include: ['team', 'client'] })),
  },
  {
    route: 'POST /v1/memory/search',
    about: 'explained',
    kind: 'Team, Full access',
    ok: 200,
    refusalByBody: { refusal: '403 full_access_required', after: 'reading' },
    reads: true,
    body: (values, cell) => ({
      ...search(() => ({ include: ['team', 'client'] }))(values, cell),
      // An explanation names the terms of the query.
      query: 'walrus',
      explain: true,
    }),
  },
  ...(['Team layer', 'client A', 'archived client'] as const).map(explainedSource),
  ...CLIENTS.map(
    (name): Row => ({
      route: 'POST /v1/memory/search',
      about: name,
      kind: kindIn(name, 'read'),
      ok: 200,
      reads: true,
      ...ofClient,
      values: client(name),
      body: search(({ clientId }) => ({ clientId, include: ['client'] })),
    }),
  ),
  ...ALL_LAYERS.flatMap(layerRows),
  ...IMPORT_ROWS,
  {
    route: 'POST /v1/memory/embeddings/claim',
    kind: 'Team, own work',
    ok: 200,
    values: async ({ targets, at }) => {
      for (const clientId of [null, at.clientA, at.clientB]) await targets.chunk(at, clientId);
      return {};
    },
    body: () => ({ limit: 256 }),
  },
  {
    route: 'POST /v1/memory/embeddings/complete',
    kind: 'Team, own work',
    ok: 200,
    ids: ['batchId'],
    values: async ({ targets, at, caller, foreign }) => ({
      batchId: await targets.batch(at, foreign ? at.ownerId : caller.userId),
    }),
    body: ({ batchId }) => ({ batchId, ...CLAIM, embeddings: [] }),
  },
];
