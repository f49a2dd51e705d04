import { along, CLAIM } from '../../../support/team.ts';
import { type Place, thingOf } from '../place.ts';
import type { Cell, Row, Values } from '../row.ts';
import { IMPORT_ROWS } from './imports.ts';
import { LAYERS, type LayerName } from './layers.ts';

/** Every layer of a Team by the name that kinds of routes give it. */
const CLIENTS = {
  'client A': (at: Place) => at.clientA,
  'client B': (at: Place) => at.clientB,
} as const;
type ClientName = keyof typeof CLIENTS;

const scoped = (clientId: string | undefined) => (clientId === undefined ? {} : { clientId });

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

/** The rows of routes that take a scope, for one client. */
function rowsOf(client: ClientName): Row[] {
  const clientId = async ({ at }: Cell) => ({ clientId: CLIENTS[client](at) });
  const about = client;
  const ids = ['clientId'];
  const elsewhere = '403 scope_forbidden';
  return [
    {
      route: 'POST /v1/memory/search',
      about,
      kind: `${client}, read`,
      ok: 200,
      reads: true,
      ids,
      elsewhere,
      values: clientId,
      body: search((values) => ({ clientId: values['clientId'], include: ['client'] })),
    },
    {
      route: 'POST /v1/memory/ingest',
      about,
      kind: `${client}, write`,
      ok: 201,
      ids,
      elsewhere,
      values: clientId,
      body: ingest,
    },
    {
      route: 'POST /v1/memory/imports',
      about,
      kind: `${client}, write`,
      ok: 202,
      ids,
      elsewhere,
      values: clientId,
      body: imports,
    },
    {
      route: 'GET /v1/memory/imports',
      about,
      kind: `${client}, read`,
      ok: 200,
      ids,
      elsewhere,
      values: clientId,
      query: (values) => `clientId=${values['clientId']}&limit=200`,
    },
    {
      route: 'GET /v1/memory/imports/:id',
      about: `of ${client}`,
      kind: `${client}, read by id`,
      ok: 200,
      values: async ({ targets, at }) => ({ id: await targets.import(at, CLIENTS[client](at)) }),
    },
    {
      route: 'POST /v1/memory/expand',
      about: `of ${client}`,
      kind: 'Team',
      ok: 200,
      reads: true,
      ids: ['chunkId'],
      elsewhere: '200',
      values: async ({ targets, at }) => ({ chunkId: await targets.chunk(at, CLIENTS[client](at)) }),
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

const archived = async ({ at }: Cell) => ({ clientId: at.archivedClient });

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
  explainedSource('Team layer'),
  explainedSource('client A'),
  explainedSource('archived client'),
  {
    route: 'POST /v1/memory/search',
    about: 'of an archived client',
    kind: 'archived client',
    ok: 200,
    reads: true,
    values: archived,
    body: search((values) => ({ clientId: values['clientId'] })),
  },
  {
    route: 'POST /v1/memory/expand',
    kind: 'Team',
    ok: 200,
    reads: true,
    ids: ['chunkId'],
    elsewhere: '200',
    values: async ({ targets, at }) => ({ chunkId: await targets.chunk(at) }),
    body: ({ chunkId }) => ({ chunkId }),
  },
  {
    route: 'POST /v1/memory/expand',
    about: 'of an archived client',
    kind: 'Team',
    ok: 200,
    reads: true,
    values: async ({ targets, at }) => ({ chunkId: await targets.chunk(at, at.archivedClient) }),
    body: ({ chunkId }) => ({ chunkId }),
  },
  { route: 'POST /v1/memory/ingest', kind: 'Team layer, write', ok: 201, body: ingest },
  {
    route: 'POST /v1/memory/ingest',
    about: 'into an archived client',
    kind: 'archived client',
    ok: 201,
    values: archived,
    body: ingest,
  },
  { route: 'POST /v1/memory/imports', kind: 'Team layer, write', ok: 202, body: imports },
  {
    route: 'POST /v1/memory/imports',
    about: 'into an archived client',
    kind: 'archived client',
    ok: 202,
    values: archived,
    body: imports,
  },
  { route: 'GET /v1/memory/imports', kind: 'Team', ok: 200, query: () => 'limit=200' },
  {
    route: 'GET /v1/memory/imports/:id',
    kind: 'Team',
    ok: 200,
    values: async ({ targets, at }) => ({ id: await targets.import(at) }),
  },
  {
    route: 'GET /v1/memory/imports/:id',
    about: 'of an archived client',
    kind: 'archived client, by id',
    ok: 200,
    values: async ({ targets, at }) => ({ id: await targets.import(at, at.archivedClient) }),
  },
  ...rowsOf('client A'),
  ...rowsOf('client B'),
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
