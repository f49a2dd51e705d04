import { Type } from 'typebox';

/** The path of one thing. */
export const IdParams = Type.Object({ id: Type.String() });
/** The path of one person. */
export const UserParams = Type.Object({ userId: Type.String() });
