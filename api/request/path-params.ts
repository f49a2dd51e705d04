import { Type } from 'typebox';

/** Path parameters of a route for one record. */
export const IdParams = Type.Object({ id: Type.String() });
/** Path parameters of a route for one user. */
export const UserParams = Type.Object({ userId: Type.String() });
