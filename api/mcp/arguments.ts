import { Type } from 'typebox';
import { IsDate, IsDateTime } from 'typebox/format';
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

const WRONG_MOMENT = 'must be a day such as 2026-03-01, or a time with its zone such as 2026-03-01T09:30:00Z';
const DAY_MS = 86_400_000;
/** The first and the last time that a search accepts. */
const [EARLIEST, LATEST] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * The time that a search begins or ends with. A day counts as a whole.
 * @param given `YYYY-MM-DD`, or a time of RFC 3339
 * @throws ServiceError `invalid_request`
 */
export function parseMoment(given: string | undefined, edge: 'since' | 'until'): string | undefined {
  if (given === undefined) return undefined;
  const text = given.trim();
  const isDay = IsDate(text);
  const at = isDay || IsDateTime(text) ? Date.parse(text) : Number.NaN;
  // Not a number either for a leap second.
  if (Number.isNaN(at)) {
    throw invalidField(`/${edge}`, WRONG_MOMENT);
  }
  if (at < EARLIEST || at > LATEST) throw invalidField(`/${edge}`, 'must be in the years 1 to 9999');
  if (!isDay) return new Date(at).toISOString();
  // A search returns what is later than `since`, so it begins with the last millisecond of the day before.
  const moment = at + (edge === 'since' ? -1 : DAY_MS);
  return new Date(Math.min(Math.max(moment, EARLIEST), LATEST)).toISOString();
}

/** The schema of a time in arguments: a day or a time, which `parseMoment` or `parseExpires` parses. */
export const Moment = (description: string) => Type.Optional(Text(40, description));

/**
 * When something is to expire, as the routes take it. A day counts to its last moment in UTC.
 * @throws ServiceError `invalid_request`
 */
export function parseExpires(given: string, path: string): string {
  const text = given.trim();
  if (IsDate(text)) return `${text}T23:59:59.999Z`;
  if (!IsDateTime(text)) throw invalidField(path, WRONG_MOMENT);
  return text;
}
