import { normalizeIP } from '@fastify/rate-limit';
import {
  type AccountChange,
  changeAccount,
  type Proof,
} from '../../../core/identity/sign-in/change-account.ts';
import { invalidField } from '../../../shared/errors.ts';
import { parseEmail } from '../../../shared/formats/email.ts';
import { Account, AccountRequest } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'changeAccount',
  summary: 'Change your name or your email',
  description: 'Another email ends every other session of yours and revokes your open reset links.',
  tags: ['auth'],
  body: AccountRequest,
  response: { 200: Account },
  errors: errorCodes('invalid_credentials', 'conflict'),
};

function parseChange({ name, email }: AccountRequest): AccountChange {
  if (name === undefined && email === undefined) throw invalidField('/', 'must have name or email');
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email: parseEmail(email) }),
  };
}

function parseProof({ email, password }: AccountRequest, address: string): Proof | null {
  if (email === undefined && password !== undefined) {
    throw invalidField('/password', 'is allowed only with email');
  }
  if (email !== undefined && password === undefined)
    throw invalidField('/password', 'is required with email');
  return password === undefined ? null : { password, address };
}

/** PATCH /v1/auth/account: the caller's own name and email. */
export const accountRoute: Routes = (app, deps) => {
  app.patch('/v1/auth/account', { schema }, async ({ identity, body, ip }) =>
    changeAccount(deps, identity, parseChange(body), parseProof(body, normalizeIP(ip))),
  );
};
