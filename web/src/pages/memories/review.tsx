import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, ListChecks, ListTree, Undo2, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useFilters } from '../../app/filters.ts';
import { REVIEW } from '../../app/pages.tsx';
import { useTeam } from '../../app/session.tsx';
import { Button, buttonClass, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { count, Name, Time } from '../../ui/text.tsx';
import { Beside, MadeOf, ReplaceDialog } from './beside.tsx';
import type { Made, Refused } from './decisions.ts';
import { useDrafts } from './drafts.ts';
import { EditForm } from './edit.tsx';
import { decidedFor, type Entry, type Item, nearItems } from './entries.ts';
import { ClientFilter, STATES } from './labels.tsx';
import { ReviewActions, ReviewItem } from './review-item.tsx';
import { type Acts, useReviewKeys } from './review-keys.ts';
import { ReviewList } from './review-list.tsx';
import { useCurrent, useHeadingOf } from './use-current.ts';
import { useReview } from './use-review.ts';

/** If fewer entries are left, the next ones are read. */
const FEW = 10;
/** The address names what is shown, after this time: who goes through the list quickly does not change it each time. */
const ADDRESS_MS = 300;

/** What the keys do that are for the whole list, as buttons. */
const STEPS = [
  ['u', Undo2, 'Undo the last decision'],
  ['k', ArrowUp, 'Item before'],
  ['j', ArrowDown, 'Next item'],
] as const;

/** The page at /review: what waits for a decision, one by one. */
export default function ReviewPage() {
  const [filters, setFilters] = useFilters('/review');
  const { q, clientId } = filters;
  const canDecide = useTeam().state === 'active';
  const { drafts, put } = useDrafts();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  /** Which item of an entry stays, if it is not the first one. */
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [isEditing, setEditing] = useState(false);
  const [dialog, setDialog] = useState<'replace' | 'queue' | null>(null);
  /** Items that others have decided, and for which a text was typed here. */
  const [lost, setLost] = useState<readonly Pick<Item, 'id' | 'title'>[]>([]);
  const review = useReview({ q, clientId }, { back: showAgain, answered: keepTexts });
  const { items, isHidden, total } = review;
  const { hasNextPage, isFetching, isError, isPending, error, fetchNextPage, refetch } = review.read.query;
  const current = useCurrent(items, isHidden, hasNextPage, filters.item);
  const { entries, entry, next, before } = current;
  const mainOf = (one: Entry) => one.items.find(({ id }) => id === chosen[one.id]) ?? (one.items[0] as Item);
  const item = entry && mainOf(entry);
  const draft = item && drafts[item.id];
  const others = entry?.items.filter((one) => one !== item) ?? [];
  const inReview = item?.state === 'review';
  const similar = (inReview ? (item.similar ?? []) : []).filter(
    ({ memoryId }) => !isHidden(memoryId) && !others.some(({ id }) => id === memoryId),
  );
  const replaceable = similar.filter(({ state = 'published' }) => state === 'published');

  const loadMore = () => hasNextPage && !isFetching && !isError && void fetchNextPage();
  useEffect(() => {
    // What says nearly the same as the current item is decided with it, so it has to be there.
    const isApart = entry?.items
      .flatMap(nearItems)
      .some(({ memoryId }) => !items.some(({ id }) => id === memoryId) && !isHidden(memoryId));
    if (current.isSought || isApart === true || entries.length - current.index < FEW) loadMore();
  });
  const shownId = isPending || isError || current.isSought ? filters.item : entry?.id;
  useEffect(() => {
    if (shownId === filters.item) return;
    const timer = setTimeout(() => void setFilters({ item: shownId }), ADDRESS_MS);
    return () => clearTimeout(timer);
  });
  const heading = useHeadingOf(entry?.id);

  function show(id: string | undefined) {
    if (id !== undefined) current.show(id);
    setEditing(false);
    setDialog(null);
  }
  function filter(some: { q: string } | { clientId: string | undefined }) {
    current.show(null);
    // The form of another item would take the focus, and with it what is typed.
    setEditing(false);
    void setFilters({ ...some, item: undefined });
  }
  function showAgain(again: readonly Item[]) {
    for (const { id, version } of again) put(id, (draft) => draft && { ...draft, version });
    show(again[0]?.id);
  }
  /** Forgets the texts that were stored. Those of discarded items stay, because that can be taken back. */
  function keepTexts(made: readonly Made[], refused: readonly Refused[]) {
    for (const { wanted } of made) if (wanted.action !== 'discard') put(wanted.memory.id, undefined);
    for (const { wanted, isStale, now } of refused) {
      const { id, state } = wanted.memory;
      const typed = drafts[id];
      if (typed === undefined || !isStale) continue;
      if (now?.state === state) put(id, { ...typed, version: now.version });
      else setLost((some) => [...some, wanted.memory]);
    }
  }
  function decide(some: readonly Entry[], action: 'publish' | 'discard', supersedes?: string) {
    const decided = some.map((one) => {
      const memory = mainOf(one);
      return decidedFor(one, { memory, draft: drafts[memory.id], action, supersedes });
    });
    review.decideOn(decided);
    setSelected((ids) => ids.difference(new Set(some.map(({ id }) => id))));
    if (entry && some.includes(entry)) show((next ?? before)?.id);
  }
  const publish = (supersedes?: string) => entry && decide([entry], 'publish', supersedes);
  const toSelect = entries.filter((one) => selected.has(one.id) && mainOf(one).state === 'review');
  /** With those that say nearly the same. */
  const allSelected = toSelect.flatMap(({ items }) => items).length;
  const toggle = (id: string) => setSelected((ids) => ids.symmetricDifference(new Set([id])));
  /** Adds a sentence of another text to the one that is decided on. */
  function keep(sentence: string) {
    if (item === undefined) return;
    const { version, content } = { ...item, ...draft };
    put(item.id, { ...draft, version, content: `${content.trimEnd()} ${sentence}` });
  }
  const decidable = canDecide && !isEditing ? entry : undefined;
  const acts: Acts = {
    j: next && (() => show(next.id)),
    k: before && (() => show(before.id)),
    u: canDecide ? review.undoLast : undefined,
    p: decidable && (() => publish()),
    d: decidable && (() => decide([decidable], 'discard')),
    e: decidable && item?.subject === 'memory' ? () => setEditing(true) : undefined,
    x: decidable && inReview ? () => toggle(decidable.id) : undefined,
    s:
      decidable && replaceable.length > 0
        ? () => (replaceable.length === 1 ? publish(replaceable[0]?.memoryId) : setDialog('replace'))
        : undefined,
  };
  useReviewKeys(acts);

  const list = (
    <div className="flex max-h-[calc(100vh-8rem)] flex-col">
      <FilterBar>
        <TextFilter label="Title or text" value={q} onChange={(words) => filter({ q: words })} />
        <ClientFilter value={clientId} onChange={(id) => filter({ clientId: id })} />
        {toSelect.length > 0 && (
          <div role="toolbar" aria-label="Selected items" className="flex items-center gap-2">
            <Button onClick={() => decide(toSelect, 'publish')}>
              Publish {toSelect.length}
              {allSelected > toSelect.length && `, discard ${allSelected - toSelect.length}`}
            </Button>
            <Button look="danger" onClick={() => decide(toSelect, 'discard')}>
              Discard {allSelected}
            </Button>
            <IconButton icon={X} label="Select none" onClick={() => setSelected(new Set())} />
          </div>
        )}
      </FilterBar>
      <ReviewList
        entries={entries}
        current={entry?.id}
        selected={selected}
        onShow={show}
        onSelect={canDecide ? toggle : undefined}
        onEnd={loadMore}
      />
    </div>
  );
  const text = draft?.content ?? item?.content ?? '';
  const decidedText = { text, keep: canDecide && inReview ? keep : undefined };
  return (
    <Page
      title={REVIEW.name}
      shows={total === null ? REVIEW.name : total === 0 ? 'Nothing to review' : `${total} to review`}
      total={total}
      actions={
        <>
          {STEPS.map(([key, icon, label]) => {
            const act = acts[key];
            return (
              act && <IconButton key={key} icon={icon} label={label} aria-keyshortcuts={key} onClick={act} />
            );
          })}
          <IconButton
            icon={ListTree}
            label="Queue"
            className="md:hidden"
            onClick={() => setDialog('queue')}
          />
        </>
      }
    >
      {lost.map(({ id, title }) => (
        <Notice
          key={id}
          actions={
            <Link to="/memories/$id" params={{ id }} className={buttonClass()}>
              Open it
            </Link>
          }
        >
          Your text for “<Name>{title}</Name>” was not stored. It is kept on the page of the memory.
        </Notice>
      ))}
      <div className="grid items-start gap-x-8 md:grid-cols-[17rem_minmax(0,1fr)]">
        <div className="sticky top-16 max-md:hidden">{list}</div>
        {isPending ? (
          <Skeleton />
        ) : entry === undefined || item === undefined ? (
          error === null ? (
            <Nothing isFiltered={q !== undefined || clientId !== undefined} />
          ) : (
            <Failure error={error} retry={() => void refetch()} />
          )
        ) : (
          <div className="min-w-0">
            <div className="grid gap-x-8 min-[88rem]:grid-cols-[minmax(0,1fr)_24rem]">
              <div className="min-w-0">
                <ReviewItem item={item} heading={heading}>
                  {isEditing && canDecide && (
                    <EditForm
                      key={item.id}
                      memory={item}
                      action={inReview ? 'Publish' : 'Save the changes'}
                      onSave={() => publish()}
                      onClose={() => {
                        setEditing(false);
                        heading.current?.focus({ preventScroll: true });
                      }}
                    />
                  )}
                </ReviewItem>
                <Beside
                  {...decidedText}
                  title={`${count(others.length, 'other item says', 'other items say')} nearly the same`}
                  others={others.map((one) => ({ ...one, about: <Time at={one.createdAt} /> }))}
                  actions={(id) => (
                    <>
                      <Button
                        onClick={() => {
                          setChosen({ ...chosen, [entry.id]: id });
                          setEditing(false);
                        }}
                      >
                        Take this text
                      </Button>
                      <Button look="quiet" onClick={() => current.setApart(id)}>
                        Take out of this group
                      </Button>
                    </>
                  )}
                />
              </div>
              <div className="min-w-0">
                <Beside
                  {...decidedText}
                  title="Similar memories"
                  others={similar.map(
                    ({ memoryId, title, excerpt, state = 'published', similarity, basis }) => ({
                      id: memoryId,
                      title,
                      content: excerpt,
                      about: `${STATES[state]} · ${Math.round(similarity * 100)} % by ${basis}`,
                    }),
                  )}
                />
                {inReview && item.captures && <MadeOf captures={item.captures} />}
              </div>
            </div>
            {canDecide && !isEditing && (
              <ReviewActions
                acts={acts}
                item={item}
                others={others.length}
                onForget={draft && (() => put(item.id, undefined))}
              />
            )}
          </div>
        )}
      </div>
      {dialog === 'replace' && (
        <ReplaceDialog similar={replaceable} onChoose={publish} onClose={() => setDialog(null)} />
      )}
      <Dialog open={dialog === 'queue'} onClose={() => setDialog(null)} title="Queue" isDrawer>
        {list}
      </Dialog>
    </Page>
  );
}

/** What stands in the place of an item. */
const Nothing = ({ isFiltered }: { isFiltered: boolean }) => (
  <Empty icon={ListChecks} title={isFiltered ? 'No item matches these filters' : 'Nothing waits for review'}>
    {!isFiltered && (
      <p>
        An item comes here when a program makes a memory that it is not sure of, when someone without Full
        access publishes and the Team wants a review, or when someone says that a text is wrong or outdated.
      </p>
    )}
  </Empty>
);
