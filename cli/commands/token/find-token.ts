import { isId } from '../../../shared/ids.ts';
import { Token } from '../../../shared/schemas/identity.ts';
import { readList } from '../../client/read-list.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';

/** Where agent tokens are listed: the caller's own, or those of the Team. */
export const tokensPath = (isTeamWide: boolean) => (isTeamWide ? '/v1/team/tokens' : '/v1/auth/tokens');

/**
 * The id of the token with this name or id. By its name, only an active token is found, because the names of ended ones
 * can be used again.
 * @throws CommandError that lists the candidates if the name is unknown or ambiguous
 */
export async function findToken(service: ServiceClient, path: string, given: string): Promise<string> {
  if (isId(given)) return given.toLowerCase();
  const tokens = (await readList(service, path, Token)).filter(({ state }) => state === 'active');
  const sameName = tokens.filter(({ name }) => name === given);
  const [found] = sameName;
  if (found !== undefined && sameName.length === 1) return found.id;
  const list = (some: readonly Token[]) =>
    some.map(({ name, id }) => `${oneLine(name)} (${id})`).join(', ') || 'none';
  const name = JSON.stringify(oneLine(given));
  throw new CommandError(
    found === undefined
      ? `there is no active token named ${name}; there are: ${list(tokens)}`
      : `several active tokens are named ${name}: choose one by its id: ${list(sameName)}`,
  );
}
