import { Client } from '../../shared/schemas/identity.ts';
import { findClient } from './find-team.ts';
import { readList } from './read-list.ts';
import type { ServiceClient } from './service-client.ts';

/** Names the layer of a record: `Team layer`, or the name of the client. */
export type NameLayer = (clientId: string | null) => string;

/** Reads the names of clients, if one of these records belongs to a client. */
export async function readLayerNames(
  service: ServiceClient,
  clientIds: readonly (string | null)[],
): Promise<NameLayer> {
  const hasClient = clientIds.some((id) => id !== null);
  const clients = hasClient ? await readList(service, '/v1/team/clients', Client) : [];
  const names = new Map(clients.map(({ id, name }) => [id, name]));
  return (clientId) => (clientId === null ? 'Team layer' : (names.get(clientId) ?? clientId));
}

/** The word for the Team layer and every client in reach. */
export const ALL_LAYERS = 'all';

/**
 * The layers that a reading command asks for: without a client the Team layer, with one that client's layer too, and
 * with `all` everything in reach.
 */
export async function requestedScope(service: ServiceClient, client: string | undefined) {
  if (client === undefined) return {};
  if (client === ALL_LAYERS) return { include: ['team' as const, 'client' as const] };
  return { clientId: await findClient(service, client) };
}
