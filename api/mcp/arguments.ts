import { Type } from 'typebox';
import { assertNoClientNamed, findClientId } from '../../core/identity/clients/find-client.ts';
import { invalidField } from '../../shared/errors.ts';
import { Text } from '../../shared/schemas/common.ts';
import { type LayerId, type RequestedScope, writeLayer } from '../../shared/scope.ts';
import type { TeamCall } from './tool.ts';

/** Stands for the Team layer and every client that the caller can read. */
const ALL = 'all';

/**
 * The layers that the argument `client` asks to read: the Team layer, and that of the client.
 * @throws ServiceError `scope_forbidden`, `invalid_request`
 */
export async function scopeToRead(
  { deps, scope }: Pick<TeamCall, 'deps' | 'scope'>,
  client: string | undefined,
): Promise<RequestedScope> {
  if (client === undefined) return {};
  if (isAll(client)) {
    await assertNoClientNamed(deps, scope, ALL, '/client');
    return { include: ['team', 'client'] };
  }
  return { clientId: await findClientId(deps, scope, client, '/client') };
}

/**
 * The layer that the argument `client` asks to write to.
 * @throws ServiceError `scope_forbidden`, `invalid_request`
 */
export async function layerToWrite(
  { deps, scope }: Pick<TeamCall, 'deps' | 'scope'>,
  client: string | undefined,
): Promise<LayerId> {
  if (client === undefined) return writeLayer(scope);
  if (isAll(client)) throw invalidField('/client', 'must name one client; all is only for reading');
  return writeLayer(scope, { clientId: await findClientId(deps, scope, client, '/client') });
}

function isAll(client: string): boolean {
  return client.trim() === ALL;
}

/** The schema of a day or a time in arguments. `parseMoment` parses it, with what models add around it. */
export const Moment = (description: string) => Type.Optional(Text(40, description));
