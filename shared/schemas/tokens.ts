import { type Static, Type } from 'typebox';
import { PERMISSION_NAMES, PERMISSIONS } from '../permissions.ts';
import { Body, Id, Nullable, OneOf, Time, VisibleName } from './common.ts';

export const DEFAULT_TOKEN_DAYS = 90;

export const Permissions = Type.Array(OneOf(PERMISSION_NAMES), {
  description: Object.entries(PERMISSIONS)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n'),
});

export const TokenClients = Nullable(
  Type.Array(Id),
  'the clients that the token is limited to, in addition to the Team layer; null: all that its owner can reach',
);

/** An agent token, without its secret. */
export const Token = Type.Object({
  id: Id,
  name: Type.String(),
  userId: { ...Id, description: 'its owner' },
  teamId: Id,
  clientIds: TokenClients,
  permissions: Permissions,
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: Nullable(Time, 'written at most once a minute'),
  lastUsedFrom: Nullable(Type.String(), 'the address of the caller at that time'),
  state: OneOf(['active', 'expired', 'revoked']),
});

export type Token = Static<typeof Token>;

export const TokenRequest = Body({
  name: VisibleName,
  teamId: Type.String(),
  clientIds: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 1000,
      description:
        'limits the token to the Team layer and these clients; absent: all clients that you can reach',
    }),
  ),
  permissions: { ...Permissions, minItems: 1, uniqueItems: true },
  expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: DEFAULT_TOKEN_DAYS })),
});

export const RotateTokenRequest = Body({
  overlapHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 72,
      default: 0,
      description: 'how long the old secret can still be used',
    }),
  ),
});

/** A token with its text, which is shown only here. */
export const IssuedToken = Type.Object({ record: Token, token: Type.String() });

export type IssuedToken = Static<typeof IssuedToken>;
