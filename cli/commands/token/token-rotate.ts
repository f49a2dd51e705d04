import { IssuedToken } from '../../../shared/schemas/identity.ts';
import { signedIn } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS } from '../../program/command.ts';
import { parseWhole } from '../../program/whole-number.ts';
import { findToken, tokensPath } from './find-token.ts';
import { issuedText } from './issued-text.ts';

const MAX_HOURS = 72;

const options = {
  'overlap-hours': {
    type: 'string',
    value: 'n',
    help: `how long the old secret can still be used: 0 to ${MAX_HOURS} hours, default 0`,
  },
  ...SERVICE_OPTIONS,
} as const;

export const tokenRotate: Command<typeof options> = {
  section: 'account',
  summary: 'give an agent token a new secret',
  about: `Gives one of your agent tokens, by name or id, a new secret, which is shown only once. The token keeps its
permissions and its expiry.`,
  options,
  operand: { name: 'token', completes: 'token' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const overlapHours = parseWhole('overlap-hours', values['overlap-hours'], 0, MAX_HOURS);
    const { service } = await signedIn(values);
    const path = tokensPath(false);
    const id = await findToken(service, path, operand);
    const issued = await service.post(`${path}/${id}/rotate`, IssuedToken, { overlapHours });
    return { text: issuedText(issued), data: issued };
  },
};
