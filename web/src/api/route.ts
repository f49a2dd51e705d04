import type { Static, TSchema } from 'typebox';

/** A page of a list. */
export interface PageOf<T extends TSchema> {
  items: Static<T>[];
  nextCursor: string | null;
}

/** The query part of an address. */
export type Query<Key extends string> = { [K in Key]?: string | number | boolean | undefined };

/** A method of a route. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A method and a path, with the type of what is sent and answered there. */
export type Route<Call> = readonly [method: Method, path: string] & { readonly call?: Call };

export const route = <Call>(method: Method, path: string): Route<Call> => [method, path];
