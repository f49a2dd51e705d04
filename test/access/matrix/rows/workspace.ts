import { newId } from '../../../../shared/ids.ts';
import { deletion, file } from '../../../support/workspace.ts';
import { pathThingOf, thingOf } from '../place.ts';
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
} from './layers.ts';

/** Where a file lies: in the client that the values name, else in the Team layer. */
const pathOf = ({ clientId, name }: Values) =>
  clientId === undefined ? `team/${name}` : `clients/${clientId}/${name}`;
const ofLayer = (name: LayerName) => (name === 'Team layer' ? {} : ofClient);

/** A file of the Owner's in a layer: deleted since, its first version has a content. */
const fileOf =
  (layer: LayerName, state: 'live' | 'deleted') =>
  async (cell: Cell): Promise<Values> => {
    const { targets, at } = cell;
    const name = await targets.file(at, LAYERS[layer](at), state);
    return layer === 'Team layer' ? { name } : { name, ...(await client(layer)(cell)) };
  };

/** A new file in a layer, and one beside it in the Team layer: who may not write both may write neither. */
const newFile = (layer: LayerName) => async (cell: Cell) => {
  const { at, canaries } = cell;
  const name = canaries.word(pathThingOf(at, LAYERS[layer](at)), at.key);
  const beside = `team/${newId()}`;
  return layer === 'Team layer' ? { name, beside } : { name, beside, ...(await client(layer)(cell)) };
};

/** The rows of pulls from a layer: what is not for the caller is among the missing, whatever it is. */
function pullRows(name: LayerName): Row[] {
  const common = {
    route: 'POST /v1/workspace/pull',
    kind: 'Team',
    ok: 200,
    reads: true,
    ...ofLayer(name),
    // The path that was asked for comes back.
    repeats: pathOf,
  } as const;
  const reached: Row = {
    ...common,
    about: `of ${name}`,
    ...(name === 'Team layer' ? {} : { elsewhere: '200' }),
    values: fileOf(name, 'live'),
    body: (values) => ({ files: [{ path: pathOf(values) }] }),
  };
  if (name === 'Team layer') return [reached];
  const earlier: Row = {
    ...reached,
    about: `of an earlier version in ${name}`,
    values: fileOf(name, 'deleted'),
    body: (values) => ({ files: [{ path: pathOf(values), version: 1 }] }),
  };
  return [reached, earlier];
}

/** The rows of pushes to a layer. */
function pushRows(name: LayerName): Row[] {
  const common = {
    route: 'POST /v1/workspace/push',
    kind: kindIn(name, 'write'),
    ok: 200,
    ...ofLayer(name),
  } as const;
  return [
    {
      ...common,
      about: `into ${name}`,
      values: newFile(name),
      body: (values, { canaries, at }) => ({
        files: [
          file(pathOf(values), canaries.word(thingOf(at, values['clientId'] ?? null), at.key)),
          file(values['beside'] ?? '', 'x'),
        ],
      }),
    },
    {
      ...common,
      about: `of a deletion in ${name}`,
      values: fileOf(name, 'live'),
      body: (values) => ({ files: [deletion(pathOf(values), 1)] }),
    },
  ];
}

/** The versions of a file in a layer. */
const versionsRow = (name: LayerName): Row => ({
  route: 'GET /v1/workspace/versions',
  about: `of ${name}`,
  kind: kindIn(name, 'read by id'),
  ok: 200,
  ...(name === 'Team layer' ? {} : { ids: ['clientId'], elsewhere: '404 not_found' }),
  values: fileOf(name, 'deleted'),
  query: (values) => `path=${encodeURIComponent(pathOf(values))}`,
  repeats: pathOf,
});

/** A manifest of one client, deleted files included. */
const manifestRow = (name: ClientName): Row => ({
  route: 'GET /v1/workspace/manifest',
  about: name,
  kind: kindIn(name, 'read'),
  ok: 200,
  ...ofClient,
  values: client(name),
  query: ({ clientId }) => `clientId=${clientId}&since=0&limit=200`,
});

/** Routes of workspace files. */
export const WORKSPACE_ROWS: readonly Row[] = [
  { route: 'GET /v1/workspace/manifest', kind: 'Team', ok: 200, query: () => 'limit=200' },
  {
    route: 'GET /v1/workspace/manifest',
    about: 'with what was deleted',
    kind: 'Team',
    ok: 200,
    query: () => 'since=0&limit=200',
  },
  ...CLIENTS.map(manifestRow),
  ...ALL_LAYERS.map(versionsRow),
  ...ALL_LAYERS.flatMap((name) => [...pullRows(name), ...pushRows(name)]),
];
