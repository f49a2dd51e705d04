import type { IssuedToken } from '../../../shared/schemas/identity.ts';
import { oneLine } from '../../terminal/columns.ts';
import { day } from '../../terminal/times.ts';

/** A new secret, on a line of its own so that it can be copied, and what it is. */
export function issuedText({ token, record }: IssuedToken): string {
  return [
    token,
    `The token of ${oneLine(record.name)}, until ${day(record.expiresAt)}. It is not shown again.`,
  ].join('\n');
}
