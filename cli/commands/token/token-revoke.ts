import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { findToken, tokensPath } from './find-token.ts';
import { TEAM_WIDE } from './token-list.ts';

const options = { 'team-wide': TEAM_WIDE, ...TEAM_OPTIONS } as const;

export const tokenRevoke: Command<typeof options> = {
  section: 'account',
  summary: 'revoke an agent token',
  about: `Revokes an agent token, by name or id: one of your own, or with --team-wide one of anyone in the Team. All of
its secrets end at once.`,
  options,
  operand: { name: 'token', completes: 'token' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const { service } = await signedInToTeam(values);
    const path = tokensPath(values['team-wide'] === true);
    const id = await findToken(service, path, operand);
    await service.delete(`${path}/${id}`);
    return { text: `Revoked the token ${id}.`, data: { id } };
  },
};
