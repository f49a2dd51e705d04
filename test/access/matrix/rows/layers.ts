import type { Place } from '../place.ts';
import type { Cell, Values } from '../row.ts';

/** The layers of a Team by the name that kinds of routes give them. */
export const LAYERS = {
  'Team layer': () => null,
  'client A': (at: Place) => at.clientA,
  'client B': (at: Place) => at.clientB,
  'archived client': (at: Place) => at.archivedClient,
} as const;
export type LayerName = keyof typeof LAYERS;
/** The layers that are a client's. */
export const CLIENTS = ['client A', 'client B', 'archived client'] as const;
export type ClientName = (typeof CLIENTS)[number];

export const scoped = (clientId: string | undefined) => (clientId === undefined ? {} : { clientId });
/** Names a client. */
export const client =
  (name: LayerName) =>
  async ({ at }: Cell): Promise<Values> => ({ clientId: LAYERS[name](at) ?? '' });
/** How a client out of reach is answered wherever one is named. */
export const ofClient = { ids: ['clientId'], elsewhere: '403 scope_forbidden' } as const;
