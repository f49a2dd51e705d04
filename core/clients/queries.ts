import { readOnce } from '../../db/driver/database.ts';
import { listReadableClientNames, listClients as selectClients } from '../../db/queries/clients.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import type { ActiveState } from '../../shared/access.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { foldName } from '../../shared/formats/names.ts';
import { isId } from '../../shared/ids.ts';
import { yieldBetweenSteps } from '../../shared/resources/async.ts';
import type { Client } from '../../shared/schemas/clients.ts';
import { readsLayerOf, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/** The most clients that an error lists. */
const MAX_LISTED = 20;
const UNREACHABLE = 'You cannot reach a client with this id or name';

/**
 * Finds the client that a caller means, among those that it can read.
 * @param named the id or the name of the client
 * @param path JSON pointer of the field that names it
 * @returns its id
 * @throws ServiceError `scope_forbidden`, the same whether or not the client exists; `invalid_request` if several clients
 *   have the name, with their ids
 */
export async function findClientId(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  named: string,
  path: string,
): Promise<string> {
  const id = named.trim().toLowerCase();
  if (readsLayerOf(scope, id)) return id;
  if (isId(id)) throw new ServiceError('scope_forbidden', UNREACHABLE);
  const clients = await readOnce(database, scope, (tx) => listReadableClientNames(tx, null));
  const [only, ...others] = await withName(clients, named);
  if (only === undefined) throw new ServiceError('scope_forbidden', UNREACHABLE);
  if (others.length > 0) {
    throw invalidField(
      path,
      `is the name of several clients. Name one by its id: ${listIds([only, ...others])}`,
    );
  }
  return only.id;
}

/**
 * Requires that no client that the caller can read has a name, because the name means something else.
 * @param reserved in ASCII, which the database compares as the service does
 * @param path JSON pointer of the field that has the name
 * @throws ServiceError `invalid_request` with the ids of the clients
 */
export async function assertNoClientNamed(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  reserved: string,
  path: string,
): Promise<void> {
  const candidates = await readOnce(database, scope, (tx) => listReadableClientNames(tx, reserved));
  const clients = await withName(candidates, reserved);
  if (clients.length === 0) return;
  throw invalidField(
    path,
    `${reserved} is also the name of a client. Name it by its id, or rename it to read every client: ${listIds(clients)}`,
  );
}

function listIds(clients: readonly { id: string }[]): string {
  return clients
    .slice(0, MAX_LISTED)
    .map(({ id }) => id)
    .join(', ');
}

/** Those of these clients that have a name. A Team can have thousands, so the event loop turns in between. */
async function withName<T extends { name: string }>(clients: readonly T[], named: string): Promise<T[]> {
  const folded = foldName(named);
  const yieldIfDue = yieldBetweenSteps();
  const found: T[] = [];
  for (const client of clients) {
    if (foldName(client.name) === folded) found.push(client);
    await yieldIfDue();
  }
  return found;
}

type Needed = Pick<Dependencies, 'database'>;

/**
 * Lists clients of the Team, newest first: the active clients that the caller can read, or all archived clients. Archived
 * clients are only for callers with Full access.
 */
export function listClients(
  { database }: Needed,
  scope: TeamScope,
  part: ListPart,
  state: ActiveState,
): Promise<Client[]> {
  return readList(database, scope, part, (tx) => selectClients(tx, state, part));
}
