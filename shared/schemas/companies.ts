import { type Static, Type } from 'typebox';
import { Id, Role } from './common.ts';

export const Company = Type.Object({ id: Id, name: Type.String(), role: Role });

export type Company = Static<typeof Company>;
