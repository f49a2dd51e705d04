import type { Cell, Row } from '../row.ts';
import { CLIENTS, client, LAYERS, type LayerName, ofClient } from './layers.ts';

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

// A filter that nothing passes: other rows need what the Team has.
const filter = { createdBefore: '2000-01-01T00:00:00.000Z' };

/** Routes that remove records: purge, and archive many sources. */
export const REMOVAL_ROWS: readonly Row[] = [
  ...(['Team layer', ...CLIENTS] as const).flatMap(purgeRows),
  {
    route: 'POST /v1/memory/sources/archive',
    kind: 'Team, Full access, change',
    ok: 200,
    body: () => ({ filter, dryRun: false }),
  },
  ...CLIENTS.map(
    (name): Row => ({
      route: 'POST /v1/memory/sources/archive',
      about: `of ${name}`,
      kind: name === 'archived client' ? 'Team, Full access, archived client' : 'Team, Full access, change',
      ok: 200,
      ...ofClient,
      values: client(name),
      body: ({ clientId }) => ({ filter: { ...filter, clientId }, dryRun: true }),
    }),
  ),
];
