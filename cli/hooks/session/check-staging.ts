import { SelectedTeam, SessionInfo } from '../../../shared/schemas/identity.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { checkWrites } from '../../client/service-checks.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import type { HookOptions } from '../hook-options.ts';

/**
 * Checks that sessions can be staged, without staging one.
 * @returns where they are staged
 * @throws CommandError
 */
export async function checkStaging(options: HookOptions): Promise<string> {
  const { service } = await signedInToTeam(options);
  const team = await service.get('/v1/team', SelectedTeam);
  const { state, detail, remedy } = checkWrites(team, await service.get('/v1/auth/session', SessionInfo));
  if (state !== 'ok') throw new CommandError(`${detail}: ${remedy}`);
  const client = await findOptionalClient(service, options.client);
  const layer = client === undefined ? 'the Team layer' : `the client ${client}`;
  return `Sessions are staged in ${layer} of ${oneLine(team.name)}.`;
}
