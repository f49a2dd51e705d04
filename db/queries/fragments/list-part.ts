/** Part of a list: `limit` rows after the one with the id `after`, newest first; null is the beginning. */
export interface ListPart {
  after: string | null;
  limit: number;
}

/** A row of a list, with the id that its pages go by. */
export type Listed<T> = T & { id: string };

/** The part of a list that is one row: for a look at a single thing. */
export const ONE: ListPart = Object.freeze({ limit: 1, after: null });
