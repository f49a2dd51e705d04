import type { TestCompany } from '../../support/needs/database.ts';
import type { PlaceKey, Thing } from './canaries.ts';

/** A Team that requests are about, and its Company. `ownerId` is an Owner of the Company. */
export interface Place extends TestCompany {
  key: PlaceKey;
  clientA: string;
  clientB: string;
  archivedClient: string;
}

/** What belongs to a Company as a whole bears the key of the Company's first Team. */
export const companyKey = ({ key }: Pick<Place, 'key'>): PlaceKey => (key === 'v' ? 'v' : 't');

/** What a layer of a Team is planted as. */
export function thingOf(place: Place, clientId: string | null): Thing {
  if (clientId === null) return 'layer';
  if (clientId === place.archivedClient) return 'shelf';
  return clientId === place.clientA ? 'client-a' : 'client-b';
}

/** What the path of a file in a layer is planted as: the audit of the Company names it, as it does ids. */
export function pathThingOf(place: Place, clientId: string | null): Thing {
  const thing = thingOf(place, clientId);
  return thing === 'shelf' ? 'shelf-ids' : thing;
}

/** What captures and memories for review are planted as that no caller wrote. */
export const hiddenOf = (place: Place, clientId: string | null): Thing =>
  clientId === place.archivedClient ? 'shelf' : 'backstage';
