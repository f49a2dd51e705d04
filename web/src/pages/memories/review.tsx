import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, ListChecks, ListTree, Undo2, X } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useFilters } from '../../app/filters.ts';
import { useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { Button, buttonClass, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';
import { EditForm, useDrafts } from './edit.tsx';
import { ClientFilter, STATES, VERDICTS } from './labels.tsx';
import { type Entry, itemsOf, useQueue } from './queue.ts';
import { type Acts, Beside, MadeOf, ReplaceDialog, ReviewActions, ReviewItem } from './review-item.tsx';

/** What the keys do that are for the whole list, as buttons. */
const STEPS = [
  ['u', Undo2, 'Undo the last decision'],
  ['k', ArrowUp, 'Item before'],
  ['j', ArrowDown, 'Next item'],
] as const;

/** The page at /review: what waits for a decision, one by one. */
export default function ReviewPage() {
  const [{ q, clientId }] = useFilters('/review');
  const canDecide = useTeam().state === 'active';
  const { drafts, put } = useDrafts();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isEditing, setEditing] = useState(false);
  const [dialog, setDialog] = useState<'replace' | 'queue' | null>(null);
  const queue = useQueue(() => {
    setEditing(false);
    setDialog(null);
  });
  const { query, total, isFiltered, isHidden, entries, entry, next, before, show } = queue;
  const heading = useHeadingOf(entry?.id);
  const [item, ...others] = entry?.items ?? [];
  const draft = item && drafts[item.id];
  const inReview = item?.state === 'review';
  const similar = (inReview ? (item.similar ?? []) : []).filter(
    ({ memoryId }) => !isHidden(memoryId) && !others.some(({ id }) => id === memoryId),
  );
  const replaceable = similar.filter(({ state = 'published' }) => state === 'published');

  function filter(some: Parameters<typeof queue.filter>[0]) {
    // The form of another item would take the focus, and with it what is typed.
    setEditing(false);
    queue.filter(some);
  }
  function decide(some: readonly Entry[], action: 'publish' | 'discard', supersedes?: string) {
    queue.decideOn(some, action, supersedes);
    setSelected((ids) => ids.difference(new Set(some.map(({ id }) => id))));
  }
  const publish = (supersedes?: string) => entry && decide([entry], 'publish', supersedes);
  const toSelect = entries.filter(({ id, items: [main] }) => selected.has(id) && main.state === 'review');
  /** With those that say nearly the same. */
  const allSelected = itemsOf(toSelect).length;
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
    u: canDecide ? queue.undoLast : undefined,
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
      <QueueList queue={queue} selected={selected} onSelect={canDecide ? toggle : undefined} />
    </div>
  );
  const text = draft?.content ?? item?.content ?? '';
  const decidedText = { text, keep: canDecide && inReview ? keep : undefined };
  return (
    <Page
      shows={total === null ? '' : total === 0 ? 'Nothing to review' : `${total} to review`}
      total={total}
      actions={
        <>
          {STEPS.map(
            ([key, icon, label]) =>
              acts[key] && (
                <IconButton key={key} icon={icon} label={label} aria-keyshortcuts={key} onClick={acts[key]} />
              ),
          )}
          <IconButton
            icon={ListTree}
            label="Queue"
            className="md:hidden"
            onClick={() => setDialog('queue')}
          />
        </>
      }
    >
      {queue.lost.map(({ id, title }) => (
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
        {query.isPending ? (
          <Skeleton />
        ) : entry === undefined || item === undefined ? (
          query.error === null ? (
            <Nothing isFiltered={isFiltered} />
          ) : (
            <Failure error={query.error} retry={() => void query.refetch()} />
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
                      <Button onClick={() => queue.choose(entry, id)}>Take this text</Button>
                      <Button look="quiet" onClick={() => queue.setApart(id)}>
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
            {decidable && (
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
      {dialog === 'queue' && (
        <Dialog onClose={() => setDialog(null)} title="Queue" isDrawer>
          {list}
        </Dialog>
      )}
    </Page>
  );
}

const intoView = (row: HTMLElement | null) => row?.scrollIntoView({ block: 'nearest' });

interface ListProps {
  queue: ReturnType<typeof useQueue>;
  selected: ReadonlySet<string>;
  /** Absent: nothing can be selected. */
  onSelect: ((id: string) => void) | undefined;
}

/** What waits for a decision, as a list to choose from. */
function QueueList({ queue: { entries, entry, show, loadMore }, selected, onSelect }: ListProps) {
  const { nameOf } = useRights();
  const { drafts } = useDrafts();
  return (
    <ul
      aria-label="Queue"
      className="min-h-0 overflow-y-auto rounded-lg border border-line bg-panel empty:hidden"
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        if (scrollTop + clientHeight > scrollHeight - 400) loadMore();
      }}
    >
      {entries.map(({ id, items }) => {
        const [{ title, clientId, feedback, state }] = items;
        const isCurrent = id === entry?.id;
        return (
          <li
            key={id}
            ref={isCurrent ? intoView : null}
            className={`flex items-start gap-2 border-b border-line px-3 py-2 last:border-b-0 ${isCurrent ? 'bg-tint' : 'hover:bg-hover'}`}
          >
            {onSelect && (
              <input
                type="checkbox"
                className={`mt-0.5 shrink-0 ${state === 'review' ? '' : 'invisible'}`}
                aria-label={`Select ${title}`}
                checked={selected.has(id)}
                onChange={() => onSelect(id)}
              />
            )}
            <button
              type="button"
              className="min-w-0 grow text-left"
              aria-current={isCurrent ? 'true' : undefined}
              onClick={() => show(id)}
            >
              <Name className="line-clamp-2">{title}</Name>
              <span className="flex flex-wrap items-center gap-x-1.5 text-xs text-faint empty:hidden">
                {items.length > 1 && <Tag>{items.length} near-equal</Tag>}
                {feedback?.[0] && <Tag tone="warn">{VERDICTS[feedback[0].verdict]}</Tag>}
                {items.some((item) => drafts[item.id] !== undefined) && <Tag tone="warn">Edited</Tag>}
                {clientId !== null && <Name>{nameOf(clientId)}</Name>}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
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

/** The heading of what is shown. It gets the focus when something else is shown, unless someone is typing. */
function useHeadingOf(id: string | undefined) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (id === undefined) return;
    const isTyping = document.activeElement?.matches('input, select, textarea') === true;
    if (!isFirst.current && !isTyping) {
      heading.current?.focus({ preventScroll: true });
      scrollTo({ top: 0 });
    }
    isFirst.current = false;
  }, [id]);
  return heading;
}

const FIELDS =
  'input:not([type="checkbox"]), textarea, select, [contenteditable], dialog, [role="dialog"], [role="alertdialog"], [role="menu"]';
const MODIFIERS = ['Alt', 'AltGraph', 'Control', 'Meta', 'Shift'];

/** Does what the keys of the page are for. They come before those of the shell, and not after its `g`. */
function useReviewKeys(acts: Acts): void {
  const isAfterG = useRef(false);
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { target, isComposing, repeat } = event;
    // The caps lock is no modifier.
    const key = event.key.toLowerCase();
    const isForPage =
      !isComposing &&
      !MODIFIERS.some((name) => event.getModifierState(name)) &&
      !(target instanceof Element && target.closest(FIELDS)) &&
      // Holding one of the other keys down must not decide on the whole list.
      (!repeat || key === 'j' || key === 'k');
    const act = isForPage && !isAfterG.current ? acts[key as keyof Acts] : undefined;
    isAfterG.current = isForPage && key === 'g' && !isAfterG.current;
    if (act === undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  });
  useEffect(() => {
    addEventListener('keydown', press, true);
    return () => removeEventListener('keydown', press, true);
  }, []);
}
