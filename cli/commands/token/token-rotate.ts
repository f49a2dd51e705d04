import { IssuedToken } from '../../../shared/schemas/identity.ts';
import { signedIn } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS } from '../../program/command.ts';
import { CommandError } from '../../terminal/command-error.ts';
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

function parseOverlap(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const hours = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isInteger(hours) && hours >= 0 && hours <= MAX_HOURS) return hours;
  throw new CommandError(`--overlap-hours: expected a whole number from 0 to ${MAX_HOURS}`);
}

export const tokenRotate: Command<typeof options> = {
  section: 'account',
  summary: 'give an agent token a new secret',
  about: `Gives one of your agent tokens, by name or id, a new secret, which is shown only once. The token keeps its
rights and its end.`,
  options,
  operand: { name: 'token' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const overlapHours = parseOverlap(values['overlap-hours']);
    const { service } = await signedIn(values);
    const path = tokensPath(false);
    const id = await findToken(service, path, operand);
    const issued = await service.post(`${path}/${id}/rotate`, IssuedToken, { overlapHours });
    return { text: issuedText(issued), data: issued };
  },
};
