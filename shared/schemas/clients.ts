import { type Static, Type } from 'typebox';
import { Body, Id, OneOf, State, Time, VisibleName } from './common.ts';

const ClientAccess = OneOf(['read', 'write']);

export const Client = Type.Object({
  id: Id,
  name: Type.String(),
  state: State,
  access: ClientAccess,
  createdAt: Time,
});

export type Client = Static<typeof Client>;

export const ClientChange = Body(
  {
    name: Type.Optional(VisibleName),
    state: Type.Optional(OneOf(['active'], 'restores an archived client')),
  },
  'at least one of name and state',
);
