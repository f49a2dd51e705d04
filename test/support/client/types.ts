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
