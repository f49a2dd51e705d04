import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useList, useRead } from '../../app/data.ts';
import { count } from '../../ui/text.tsx';
import { say } from '../../ui/toast.tsx';
import {
  CHANGED,
  DONE,
  type Made,
  type Refused,
  saidOf,
  sayRefused,
  useDecide,
  type Wanted,
} from './decisions.ts';
import type { Decided, Item } from './entries.ts';

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

/** Newest first, as the service sorts them. */
const newestFirst = (one: Item, other: Item) =>
  other.createdAt.localeCompare(one.createdAt) || other.id.localeCompare(one.id);

/**
 * The items that wait for a decision. What is decided leaves the list at once, before the service has answered, and comes
 * back if it was refused.
 * @param on.back is called with items that wait again; the first one was decided on first
 * @param on.answered is called with decisions that were made, and with those that were not
 */
export function useReview(
  filters: { q: string | undefined; clientId: string | undefined },
  on: {
    back: (items: readonly Item[]) => void;
    answered: (made: readonly Made[], refused: readonly Refused[]) => void;
  },
) {
  const read = useList('listMemories', { ...filters, state: 'review' });
  const status = useRead('getStatus', []);
  const client = useQueryClient();
  // Nothing is read again after each decision: see `sync`.
  const { decide, undo } = useDecide([]);
  /** What the list does not say yet: items that wait again, and null for those that were decided. */
  const [local, setLocal] = useState<ReadonlyMap<string, Item | null>>(new Map());
  /** Decisions that were made together, and are taken back together. */
  const [steps, setSteps] = useState<readonly Promise<readonly Made[]>[]>([]);
  const sending = useRef(new Set<string>());
  const undoing = useRef(Promise.resolve());
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);

  const { items: listed, total } = read;
  // `listed` is another list each time, of the same data.
  const items = useMemo(
    () =>
      [...listed.filter(({ id }) => !local.has(id)), ...local.values()]
        .filter((item) => item !== null)
        .sort(newestFirst),
    [read.query.data, local],
  );
  const isHidden = (id: string) => local.get(id) === null;
  const change = (some: Iterable<readonly [string, Item | null]>) =>
    setLocal((now) => new Map([...now, ...some]));
  const showAgain = (some: readonly Wanted['memory'][]) =>
    change(some.map((memory) => [memory.id, memory as Item]));

  /** Reads the list again. What it says counts for all that was answered before. */
  const sync = useEffectEvent(async () => {
    const known = new Map([...local].filter(([id]) => !sending.current.has(id)));
    const { isError } = await read.query.refetch();
    if (isError) return;
    setLocal((now) => new Map([...now].filter(([id, item]) => known.get(id) !== item)));
  });
  const poll = useEffectEvent(() => {
    const isOld = listed.length <= PAGE && Date.now() - read.query.dataUpdatedAt >= OLD_MS;
    if (local.size > 0 || isOld) void sync();
  });
  useEffect(() => {
    const timer = setTimeout(poll, AFTER_STATUS_MS);
    return () => clearTimeout(timer);
  }, [status.dataUpdatedAt]);
  /** What was decided reads differently: the status now, the list after it, the rest when it is on screen. */
  function settle() {
    const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) =>
      CHANGED.includes(queryKey[1] as (typeof CHANGED)[number]);
    void client.invalidateQueries({ predicate, refetchType: isShown.current ? 'none' : 'active' });
    void status.refetch();
  }

  /** Sends decisions. The others of an entry are decided only if its main one was made. */
  async function send(decided: readonly Decided[], ids: readonly string[]): Promise<readonly Made[]> {
    const first = await decide(decided.map(({ main }) => main));
    const isMade = ({ main }: Decided) => first.made.some(({ wanted }) => wanted === main);
    const second = await decide(decided.filter(isMade).flatMap(({ others }) => others));
    const made = [...first.made, ...second.made];
    const refused = [...first.refused, ...second.refused];
    const [one] = refused;
    if (one) sayRefused(refused, `Not ${DONE[one.wanted.action]}`);
    on.answered(made, refused);
    for (const id of ids) sending.current.delete(id);
    const unsent = decided.filter((entry) => !isMade(entry)).flatMap(({ others }) => others);
    showAgain([
      ...unsent.map(({ memory }) => memory),
      // What others have decided does not wait any more, unless they only changed it.
      ...refused.flatMap(({ wanted: { memory }, isStale, now }) => {
        if (!isStale) return [memory];
        return now?.state === 'review' ? [{ ...memory, ...now }] : [];
      }),
    ]);
    settle();
    return made;
  }

  /** Decides on entries, which leave the list. */
  function decideOn(decided: readonly Decided[]) {
    const ids = decided.flatMap(({ main, others }) => [main, ...others].map(({ memory }) => memory.id));
    for (const id of ids) sending.current.add(id);
    change(ids.map((id) => [id, null]));
    const step = send(decided, ids);
    setSteps((now) => [...now, step]);
    void step.then((made) => {
      const [first] = made;
      if (first === undefined) return setSteps((now) => now.filter((one) => one !== step));
      const same = made.filter(({ wanted }) => wanted.action === first.wanted.action);
      const others = made.length - same.length;
      const done = `${DONE[first.wanted.action]}${others === 0 ? '' : `, ${count(others, 'other')} discarded`}`;
      const canUndo = made.some(({ wanted }) => wanted.action !== 'keep');
      say(saidOf(same, done, 'item', 'items'), canUndo ? () => takeBack(step) : undefined, TOAST);
    });
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
      showAgain(back);
      if (back.length > 0) on.back(back.toReversed());
      const done = back.length > 0 ? 'back in review' : 'as before. Its feedback stays settled';
      if (made.length > 0) say(saidOf(made, done, 'item', 'items'), undefined, TOAST);
      else if (refused.length === 0)
        say('What is kept stays settled: that cannot be undone.', undefined, TOAST);
      settle();
    });
  }

  const last = steps.at(-1);
  return {
    read,
    items,
    isHidden,
    total: total === null ? null : total + items.length - listed.length,
    decideOn,
    /** Takes the last decision back; undefined: there is none. */
    undoLast: last && (() => takeBack(last)),
  };
}
