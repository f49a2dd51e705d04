import { thingOf } from '../place.ts';
import type { Cell, Row, Values } from '../row.ts';
import { ALL_LAYERS, LAYERS, type LayerName, ofClient, scoped } from './layers.ts';

/** The rows of records that are purged, for one layer. */
function purgeRows(name: LayerName): Row[] {
  const kind = name === 'archived client' ? 'Team, Full access, not there' : 'Team, Full access, change';
  const common = { about: `in ${name}`, kind, ok: 204 } as const;
  return [
    {
      ...common,
      route: 'POST /v1/memory/sources/:id/purge',
      values: async ({ targets, at }: Cell) => ({
        id: await targets.library.source(at, LAYERS[name](at), at.ownerId),
      }),
    },
    {
      ...common,
      route: 'POST /v1/memory/memories/:id/purge',
      values: async ({ targets, at }: Cell) => ({
        id: (await targets.library.memory(at, 'published', LAYERS[name](at))).memoryId,
      }),
    },
  ];
}

/** A source of the Owner's in a layer, to be found by its title: other rows need what else the Team has. */
const titled =
  (name: LayerName) =>
  async ({ targets, canaries, at }: Cell): Promise<Values> => {
    const clientId = LAYERS[name](at);
    const title = canaries.word(thingOf(at, clientId), at.key);
    await targets.library.source(at, clientId, at.ownerId, title);
    return { title, ...scoped(clientId ?? undefined) };
  };

/** Routes that remove records: purge, and archive many sources. */
export const REMOVAL_ROWS: readonly Row[] = [
  ...ALL_LAYERS.flatMap(purgeRows),
  ...ALL_LAYERS.map(
    (name): Row => ({
      route: 'POST /v1/memory/sources/archive',
      kind: name === 'archived client' ? 'Team, Full access, archived client' : 'Team, Full access, change',
      ok: 200,
      ...(name === 'Team layer' ? {} : { about: `of ${name}`, ...ofClient }),
      values: titled(name),
      body: ({ title, clientId }) => ({ filter: { q: title, clientId }, dryRun: false }),
    }),
  ),
];
