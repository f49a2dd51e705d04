import { type Static, Type } from 'typebox';
import { Body, Id, Nullable, OneOf, Text, Time } from './common.ts';

/** How long a reset link holds where its maker says nothing. */
export const DEFAULT_RESET_LINK_SECONDS = 3600;

const Role = OneOf(['owner', 'admin', 'member']);
const Email = Text(300, 'trimmed; compared without regard to case');
const NewPassword = Type.String({ minLength: 12, maxLength: 256 });
/** A password to check: no lower bound, or an old short one would be told from a wrong one. */
const Password = Type.String({ minLength: 1, maxLength: 256 });
const Token = Type.String({ minLength: 1, maxLength: 300 });

const sessionFields = {
  expiresAt: Type.Union([Time, Type.Null()], { description: 'null for the service token' }),
  user: Type.Object({ id: Id, email: Type.String(), name: Type.String() }),
  company: Type.Object({ id: Id, name: Type.String(), role: Role }),
  teams: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      state: OneOf(['active', 'archived']),
      role: Nullable(Role),
      access: OneOf(['full', 'member', 'read']),
    }),
  ),
};

/** Who is signed in, where, and with what access. */
export const SessionInfo = Type.Object(sessionFields);
/** A session just made: the only time that its token is shown. */
export const Session = Type.Object({ token: Type.String(), ...sessionFields });
export type SessionInfo = Static<typeof SessionInfo>;
export type Session = Static<typeof Session>;

export const LoginRequest = Body({ email: Email, password: Password });
export const LogoutRequest = Body({ everywhere: Type.Optional(Type.Boolean()) });
export const ResetRequest = Body({ token: Token, newPassword: NewPassword });

export const ResetLinkRequest = Body({
  teamId: Type.String(),
  email: Email,
  baseUrl: Type.Optional(Type.String({ maxLength: 2048 })),
  ttlSeconds: Type.Optional(
    Type.Integer({ minimum: 60, maximum: 86_400, default: DEFAULT_RESET_LINK_SECONDS }),
  ),
});
export const ResetLink = Type.Object({ url: Type.String(), expiresAt: Time });
