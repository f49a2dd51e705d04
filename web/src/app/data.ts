import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ROUTES } from '../api/operations.ts';
import { type Answer, type Args, type Name, send, sendForBytes } from './request.ts';
import { saveAs } from './save.ts';
import { STALE_MS, useTeamId } from './session.tsx';

/*
 * How a page reads and changes data. It names operations of the API; what it reads is kept until a change names that
 * operation, and read again when the tab is shown.
 */

/** The operations that answer with a page of a list. */
export type ListName = {
  [N in Name]: Answer<N> extends { items: unknown[]; nextCursor: string | null } ? N : never;
}[Name];
export type Item<N extends ListName> = Answer<N> extends { items: (infer One)[] } ? One : never;
type QueryOf<N extends ListName> = Extract<Args<N>[number], object>;

const PAGE = 50;
/** What could not be read is asked for less often. */
const AFTER_FAILURE_MS = 15_000;

interface ReadOptions {
  /** Reads again after this time, in ms; not while the tab is hidden. */
  every?: number;
  /** False: waits. */
  enabled?: boolean;
  /** True: reads once, and again only after a change; for what leaves a trace, such as a search. */
  isOnce?: boolean;
  /** True: the answer to the arguments before stays until there is the one to these. */
  keepsLast?: boolean;
}

/** Reads the answer of an operation. */
export function useRead<N extends Name>(
  name: N,
  args: Args<N>,
  { every, enabled = true, isOnce = false, keepsLast = false }: ReadOptions = {},
) {
  const team = useTeamId();
  return useQuery({
    queryKey: [team, name, ...args],
    queryFn: ({ signal }) => send(team, name, args, signal),
    refetchInterval: ({ state }) => every && Math.max(every, state.status === 'error' ? AFTER_FAILURE_MS : 0),
    enabled,
    ...(isOnce && { staleTime: Number.POSITIVE_INFINITY }),
    ...(keepsLast && { placeholderData: keepPreviousData }),
  });
}

/** Reads the bytes of a file, once. */
export function useBytes<N extends Name>(name: N, args: Args<N>) {
  const team = useTeamId();
  return useQuery({
    queryKey: [team, name, ...args],
    queryFn: ({ signal }) => sendForBytes(team, name, args, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Has the browser save the bytes of a file under a name. */
export function useSave<N extends Name>(name: N, args: Args<N>, as: string) {
  const team = useTeamId();
  return useMutation({ mutationFn: async () => saveAs(as, await sendForBytes(team, name, args)) });
}

/**
 * Reads the answer of an operation page by page, by its cursor.
 * @param key what else than the cursor it depends on
 */
export function usePages<N extends Name>(
  name: N,
  argsFor: (cursor: string | undefined) => Args<N>,
  key: unknown,
  staleTime = 300_000,
  enabled = true,
) {
  const team = useTeamId();
  return useInfiniteQuery({
    queryKey: [team, name, key],
    queryFn: ({ pageParam, signal }) => send(team, name, argsFor(pageParam), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page as { nextCursor?: string | null }).nextCursor,
    staleTime,
    enabled,
    // All pages are read again, one after the other: not of a long list, whenever the tab is shown.
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) < 2,
  });
}

/** A list that is read page by page. */
export interface List<One> {
  items: One[];
  /** How many there are in all; null until it is known. */
  total: number | null;
  /** Whether it is read to its end. */
  isRead: boolean;
  query: UseInfiniteQueryResult<unknown>;
}

/**
 * Reads a list page by page, with its count.
 * @param path the parameters of its path, if it has some
 */
export function useList<N extends ListName>(
  name: N,
  query: QueryOf<N>,
  limit = PAGE,
  path: readonly string[] = [],
  enabled = true,
): List<Item<N>> {
  const argsFor = (cursor?: string) => {
    const part = cursor === undefined ? { count: true } : { cursor };
    return [...path, { ...query, ...part, limit }] as unknown as Args<N>;
  };
  const read = usePages(name, argsFor, [query, ...path], STALE_MS, enabled);
  const pages = (read.data?.pages ?? []) as { items: Item<N>[]; total?: number }[];
  const isRead = read.data !== undefined && !read.hasNextPage;
  return { items: pages.flatMap(({ items }) => items), total: pages[0]?.total ?? null, isRead, query: read };
}

/** Reads a list to its end, such as one that is filtered or sorted here. */
export function useAll<N extends ListName>(name: N, query: QueryOf<N>, enabled = true): List<Item<N>> {
  const list = useList(name, query, 200, [], enabled);
  const { hasNextPage, isFetching, isError, fetchNextPage } = list.query;
  useEffect(() => {
    // Several parts of a page can read the same list.
    if (hasNextPage && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return list;
}

/**
 * Changes data by an operation.
 * @param changes the operations whose answers are different afterwards
 */
export function useChange<N extends Name>(name: N, changes: readonly (keyof typeof ROUTES)[]) {
  const team = useTeamId();
  const client = useQueryClient();
  return useMutation<Answer<N>, Error, Args<N>>({
    mutationFn: (args) => send(team, name, args),
    onSettled: () =>
      client.invalidateQueries({ predicate: ({ queryKey }) => changes.includes(queryKey[1] as Name) }),
  });
}
