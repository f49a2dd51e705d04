import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { ListedMemory, SimilarMemory } from '../../../../shared/schemas/memories.ts';
import { useList, useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { alike } from '../../ui/compare.ts';
import { count } from '../../ui/text.tsx';
import { say } from '../../ui/toast.tsx';
import { CHANGED, DONE, type Made, saidOf, sayRefused, useDecide, type Wanted } from './decisions.ts';
import { useDrafts } from './edit.tsx';

export type Item = ListedMemory;

/** What is decided at once: an item, or several that say nearly the same, of which the first one stays. */
export interface Entry {
  /** The id of the item that is the first one in the list. */
  id: string;
  items: readonly [Item, ...Item[]];
}

/** From this similarity on, two items can say nearly the same, by its basis. */
const NEAR: Readonly<Record<SimilarMemory['basis'], number>> = { meaning: 0.93, words: 0.8 };
/** Texts that are compared by their words have at least this share in common. */
const LEAST_ALIKE = 0.6;
/** If fewer entries are left, the next ones are read. */
const FEW = 10;
/** The address names what is shown, after this time: who goes through the list quickly does not change it each time. */
const ADDRESS_MS = 300;
/**
 * Others decide too, and new items arrive: the list is read again after the status of the Team, which the navigation reads
 * now and then, and not together with it.
 */
const AFTER_STATUS_MS = 3000;
const OLD_MS = 20_000;
/** Each page is a request of its own, so of a longer list only what is decided is read again. */
const PAGE = 50;
/** A toast of a decision takes the place of the one before. */
const TOAST = 'decision';

/** What the service has found to say nearly the same as an item, of what is in review. */
const nearItems = ({ similar = [] }: Item) =>
  similar.filter(({ state, similarity, basis }) => state === 'review' && similarity >= NEAR[basis]);

const linkBetween = (one: Item, other: Item) =>
  nearItems(one).find(({ memoryId }) => memoryId === other.id) ??
  nearItems(other).find(({ memoryId }) => memoryId === one.id);

/** Whether an item says nearly the same as the first one of a group: its words can all be in a much longer text. */
const isLike = (first: Item, other: Item) =>
  linkBetween(first, other)?.basis === 'meaning' || alike(first.content, other.content) >= LEAST_ALIKE;

/**
 * Puts items that say nearly the same together, in the order of the list.
 * @param apart ids of items that someone wants to decide by themselves
 * @param chosen the id of the item that stays, by the id of its entry, if it is not the first one
 */
function entriesOf(
  items: readonly Item[],
  apart: ReadonlySet<string>,
  chosen: Readonly<Record<string, string>>,
): readonly Entry[] {
  const left = new Set(items);
  return items.flatMap((first): Entry[] => {
    if (!left.delete(first)) return [];
    const group = [first];
    // The loop goes over what it adds, too: an item names only a few that are similar.
    for (const one of apart.has(first.id) ? [] : group)
      for (const other of left) {
        if (apart.has(other.id) || linkBetween(one, other) === undefined || !isLike(first, other)) continue;
        left.delete(other);
        group.push(other);
      }
    const main = group.find(({ id }) => id === chosen[first.id]) ?? first;
    return [{ id: first.id, items: [main, ...group.filter((one) => one !== main)] }];
  });
}

export const itemsOf = (entries: readonly Entry[]) => entries.flatMap(({ items }) => items);

/** Newest first, as the service sorts them. */
const newestFirst = (one: Item, other: Item) =>
  other.createdAt.localeCompare(one.createdAt) || other.id.localeCompare(one.id);

/**
 * What waits for a decision, and which of it is shown. What is decided leaves the list at once, before the service has
 * answered, and comes back if it was refused.
 * @param onShow is called when another entry is shown, or another item of it
 */
export function useQueue(onShow: () => void) {
  const [{ q, clientId, item: first }, setFilters] = useFilters('/review');
  const { items: listed, total, query } = useList('listMemories', { q, clientId, state: 'review' });
  const { hasNextPage, isFetching, isError, isPending, fetchNextPage } = query;
  const status = useRead('getStatus', []);
  const client = useQueryClient();
  const router = useRouter();
  const { drafts, put } = useDrafts();
  // Nothing is read again after each decision: see `sync`.
  const { decide, undo } = useDecide([]);
  /** What the list does not say yet: items that wait again, and those that are decided on. */
  const [local, setLocal] = useState<ReadonlyMap<string, Item | 'sent' | 'decided'>>(new Map());
  /** Decisions that were made together, and are taken back together. */
  const [steps, setSteps] = useState<readonly Promise<readonly Made[]>[]>([]);
  const undoing = useRef(Promise.resolve());
  /** Items that others have decided, and for which a text was typed here. */
  const [lost, setLost] = useState<readonly Pick<Item, 'id' | 'title'>[]>([]);
  const [apart, setApart] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [current, setCurrent] = useState(first ?? null);

  const items = [...listed.filter(({ id }) => !local.has(id)), ...local.values()]
    .filter((item) => typeof item !== 'string')
    .sort(newestFirst);
  // `items` is another list each time, of the same data.
  const entries = useMemo(() => entriesOf(items, apart, chosen), [query.data, local, apart, chosen]);
  const isHidden = (id: string) => typeof local.get(id) === 'string';
  const isCurrent = (one: Entry) => one.items.some(({ id }) => id === current);
  const index = entries.findIndex(isCurrent);
  const shown = useRef({ entry: undefined as Entry | undefined, index: 0 });
  // Others can decide on an item while someone reads it: its reader goes on reading it.
  const { entry: last } = shown.current;
  const hasLeft = index === -1 && last !== undefined && isCurrent(last) && !isHidden(last.id);
  /** The item to show first is in a part of the list that is not read yet. */
  const isSought = current !== null && current === first && index === -1 && !hasLeft && hasNextPage;
  if (!hasLeft) shown.current = { entry: entries[Math.max(0, index)], index: Math.max(0, index) };
  const { entry, index: at } = shown.current;
  const [before, next] = [entries[at - 1], entries[hasLeft ? at : at + 1]];
  useEffect(() => {
    if (!isSought && entry && !isCurrent(entry)) setCurrent(entry.id);
  });

  const loadMore = () => hasNextPage && !isFetching && !isError && void fetchNextPage();
  useEffect(() => {
    // What says nearly the same as the current item is decided with it, so it has to be there.
    const isApart = entry?.items
      .flatMap(nearItems)
      .some(({ memoryId }) => !isHidden(memoryId) && !items.some(({ id }) => id === memoryId));
    if (isSought || isApart === true || entries.length - at < FEW) loadMore();
  });
  const shownId = isPending || isError || isSought ? first : entry?.id;
  useEffect(() => {
    if (shownId === first) return;
    const timer = setTimeout(() => void setFilters({ item: shownId }), ADDRESS_MS);
    return () => clearTimeout(timer);
  });

  /** Reads the list again. What it says counts for all that was answered before. */
  const sync = useEffectEvent(async () => {
    const isOld = listed.length <= PAGE && Date.now() - query.dataUpdatedAt >= OLD_MS;
    if (local.size === 0 && !isOld) return;
    const known = new Map([...local].filter(([, one]) => one !== 'sent'));
    const read = await query.refetch();
    if (!read.isError)
      setLocal((now) => new Map([...now].filter(([id, one]) => one === 'sent' || one !== known.get(id))));
  });
  useEffect(() => {
    const timer = setTimeout(() => void sync(), AFTER_STATUS_MS);
    return () => clearTimeout(timer);
  }, [status.dataUpdatedAt]);
  /** What was decided reads differently: the status now, the list after it, the rest when it is on screen. */
  function settle() {
    const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) =>
      (CHANGED as readonly unknown[]).includes(queryKey[1]);
    const isShown = router.matchRoute({ to: '/review' }) !== false;
    void client.invalidateQueries({ predicate, refetchType: isShown ? 'none' : 'active' });
    void status.refetch();
  }

  function show(id: string | undefined) {
    if (id !== undefined) setCurrent(id);
    onShow();
  }
  function filter(some: { q: string } | { clientId: string | undefined }) {
    setCurrent(null);
    // What waits again is in the list that is read now, if it matches.
    setLocal((now) => new Map([...now].filter(([, one]) => typeof one === 'string')));
    void setFilters({ ...some, item: undefined });
  }
  const change = (some: readonly Item[], as?: 'sent' | 'decided') =>
    setLocal((now) => new Map([...now, ...some.map((item) => [item.id, as ?? item] as const)]));

  /** Decides on entries: on what stays of each, and then, if that was made, on those that only say the same. */
  async function send(some: readonly Entry[], wanted: readonly Wanted[]): Promise<readonly Made[]> {
    const mains = await decide(wanted);
    const isMade = ({ items: [main] }: Entry) => mains.made.some((one) => one.wanted.memory === main);
    const othersOf = (those: readonly Entry[]) => those.flatMap(({ items: [, ...others] }) => others);
    const others = othersOf(some.filter(isMade)).map((memory) => ({ memory, action: 'discard' as const }));
    const discarded = await decide(others);
    const made = [...mains.made, ...discarded.made];
    const refused = [...mains.refused, ...discarded.refused];
    const [one] = refused;
    if (one) sayRefused(refused, `Not ${DONE[one.wanted.action]}`);
    // What was stored is forgotten. The texts of discarded items stay, because that can be taken back.
    for (const { wanted: done } of made) if (done.action !== 'discard') put(done.memory.id, undefined);
    const waiting = othersOf(some.filter((entry) => !isMade(entry)));
    for (const { wanted: not, isStale, now } of refused) {
      const memory = not.memory as Item;
      const typed = drafts[memory.id];
      // What others have decided does not wait any more, unless they only changed it.
      if (!isStale || now?.state === 'review') waiting.push({ ...memory, ...now });
      if (!isStale || typed === undefined) continue;
      if (now?.state === memory.state) put(memory.id, { ...typed, version: now.version });
      else setLost((texts) => [...texts, memory]);
    }
    change(itemsOf(some), 'decided');
    change(waiting);
    settle();
    return made;
  }

  /** Decides on entries, which leave the list. */
  function decideOn(some: readonly Entry[], action: 'publish' | 'discard', supersedes?: string) {
    const wanted = some.map(({ items: [memory] }): Wanted => {
      const draft = drafts[memory.id];
      const onPublished = action === 'discard' ? 'delete' : draft ? 'update' : 'keep';
      return {
        memory,
        action: memory.state === 'published' ? onPublished : action,
        ...(action === 'publish' && draft),
        ...(supersedes !== undefined && { supersedes }),
      };
    });
    change(itemsOf(some), 'sent');
    const step = send(some, wanted);
    setSteps((now) => [...now, step]);
    void step.then((made) => {
      const [one] = made;
      if (one === undefined) return setSteps((now) => now.filter((other) => other !== step));
      const same = made.filter(({ wanted }) => wanted.action === one.wanted.action);
      const others = made.length - same.length;
      const done = `${DONE[one.wanted.action]}${others === 0 ? '' : `, ${count(others, 'other')} discarded`}`;
      const canUndo = made.some(({ wanted }) => wanted.action !== 'keep');
      say(saidOf(same, done, 'item', 'items'), canUndo ? () => takeBack(step) : undefined, TOAST);
    });
    if (entry && some.includes(entry)) show((next ?? before)?.id);
  }

  /** Takes decisions back, after the ones that are being taken back. */
  function takeBack(step: Promise<readonly Made[]>) {
    setSteps((now) => now.filter((one) => one !== step));
    undoing.current = undoing.current.then(async () => {
      const { made, refused } = await undo(await step);
      sayRefused(refused, 'Not undone');
      const back = made.flatMap(({ wanted, after }): Item[] =>
        after?.state === 'review' ? [{ ...(wanted.memory as Item), ...after }] : [],
      );
      change(back);
      for (const { id, version } of back) put(id, (draft) => draft && { ...draft, version });
      // The one that was decided on first.
      if (back.length > 0) show(back.at(-1)?.id);
      const done = back.length > 0 ? 'back in review' : 'as before. Its feedback stays settled';
      if (made.length > 0) say(saidOf(made, done, 'item', 'items'), undefined, TOAST);
      else if (refused.length === 0)
        say('What is kept stays settled: that cannot be undone.', undefined, TOAST);
      settle();
    });
  }

  const lastStep = steps.at(-1);
  return {
    query,
    total: total === null ? null : total + items.length - listed.length,
    isFiltered: q !== undefined || clientId !== undefined,
    isHidden,
    entries,
    entry,
    /** The entries after and before what is shown. */
    next,
    before,
    show,
    filter,
    loadMore,
    lost,
    decideOn,
    /** Takes the last decision back; undefined: there is none. */
    undoLast: lastStep && (() => takeBack(lastStep)),
    /** Has an item decided by itself. */
    setApart: (id: string) => setApart((ids) => new Set([...ids, id])),
    /** Has another item of an entry stay. */
    choose(one: Entry, id: string) {
      setChosen({ ...chosen, [one.id]: id });
      onShow();
    },
  };
}
