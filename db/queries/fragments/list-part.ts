/**
 * A page of a list, newest first: `limit` rows after the row with the id `after`, or from the beginning if it is null.
 */
export interface ListPart {
  after: string | null;
  limit: number;
}

/** A row of a list, with the id by which the list is paged. */
export type Listed<T> = T & { id: string };

/** A page of one row, for reading a single record with a query of lists. */
export const ONE_ROW: ListPart = Object.freeze({ limit: 1, after: null });
