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
export const ALL_LAYERS = ['Team layer', ...CLIENTS] as const;

export const scoped = (clientId: string | undefined) => (clientId === undefined ? {} : { clientId });
/** Names a client. */
export const client =
  (name: LayerName) =>
  async ({ at }: Cell): Promise<Values> => ({ clientId: LAYERS[name](at) ?? '' });
/** How a client out of reach is answered wherever one is named. */
export const ofClient = { ids: ['clientId'], elsewhere: '403 scope_forbidden' } as const;

/** What a row adds that names a layer in its scope; nothing for the Team layer. */
export const within = (name: LayerName) =>
  name === 'Team layer' ? {} : { about: name, ...ofClient, values: client(name) };

/** The kind of a row that names a layer (`read`, `write`), or else is about a record in it. */
export function kindIn(name: LayerName, what: string): string {
  if (name === 'archived client') return ['read', 'write'].includes(what) ? name : 'archived client, by id';
  return name === 'Team layer' && what.startsWith('read') ? 'Team' : `${name}, ${what}`;
}

/** Asks for a list, of the client that the values name. */
export const listOf = ({ clientId }: Values) =>
  clientId === undefined ? 'limit=200' : `clientId=${clientId}&limit=200`;
