import { Link } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import type { SimilarMemory } from '../../../../shared/schemas/memories.ts';
import { useRead } from '../../app/data.ts';
import { useRights } from '../../app/rights.ts';
import { Button } from '../../ui/button.tsx';
import { Changes } from '../../ui/changes.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded, Skeleton } from '../../ui/states.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';
import { useDrafts } from './edit.tsx';
import { FeedbackList, Tags } from './labels.tsx';
import type { Item } from './queue.ts';

/** What the keys of the review do now; one that does nothing is undefined. */
export type Acts = Readonly<Record<'j' | 'k' | 'p' | 'e' | 'd' | 's' | 'u' | 'x', (() => void) | undefined>>;

interface ItemProps {
  item: Item;
  heading: Ref<HTMLHeadingElement>;
  /** In place of the text: the form that changes it. */
  children?: ReactNode;
}

/** The item that is decided on: its text, and what is known of it. */
export function ReviewItem({ item, heading, children }: ItemProps) {
  const { nameOf } = useRights();
  const draft = useDrafts().drafts[item.id];
  const { id, subject, clientId, createdAt, createdWith, tags, expiresAt, feedback = [] } = item;
  return (
    <article aria-labelledby="item-heading" className="mb-6">
      <h2 id="item-heading" ref={heading} tabIndex={-1} className="text-xl font-semibold focus:outline-none">
        <Name>{draft?.title ?? item.title}</Name>
      </h2>
      <p className="mt-1 mb-3 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
        <Name>{nameOf(clientId)}</Name>
        <Time at={createdAt} />
        {createdWith !== null && <Name>{`by ${createdWith.name}`}</Name>}
        {expiresAt !== null && (
          <span>
            expires <Time at={expiresAt} />
          </span>
        )}
        {tags.length > 0 && <Tags tags={tags} />}
        {draft !== undefined && <Tag tone="warn">Edited by you</Tag>}
        <Link
          to={subject === 'source' ? '/sources/$id' : '/memories/$id'}
          params={{ id }}
          className="text-brand hover:underline"
        >
          Open the {subject}
        </Link>
      </p>
      {feedback.length > 0 && (
        <section aria-label="Feedback" className="mb-3">
          <FeedbackList feedback={feedback} />
        </section>
      )}
      {children || (
        <div className="rounded-lg border border-line bg-panel px-4 py-2 [&_p]:whitespace-pre-line">
          <Markdown text={draft?.content ?? item.content} />
        </div>
      )}
    </article>
  );
}

interface ActionsProps {
  acts: Acts;
  item: Item;
  /** How many items leave the list with this one. */
  others: number;
  /** Forgets what was typed; absent: nothing was. */
  onForget: (() => void) | undefined;
}

/** What can be decided, always in sight. Each button names its key, and is there as long as the key does something. */
export function ReviewActions({ acts, item, others, onForget }: ActionsProps) {
  const hasFeedback = item.state === 'published';
  const keep = onForget ? 'Save the changes' : 'Keep';
  const buttons = [
    ['p', hasFeedback ? keep : `Publish${others === 0 ? '' : `, discard ${others}`}`, 'primary'],
    ['s', 'Supersede', 'plain'],
    ['e', 'Edit', 'plain'],
    ['d', hasFeedback ? 'Archive' : `Discard${others === 0 ? '' : ` ${others + 1}`}`, 'danger'],
  ] as const;
  return (
    <div
      role="toolbar"
      aria-label="Decision"
      className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center gap-2 border-t border-line bg-page px-4 py-3 md:mx-0 md:px-0"
    >
      {buttons.map(
        ([key, name, look]) =>
          acts[key] && (
            <Button key={key} look={look} aria-keyshortcuts={key} onClick={acts[key]}>
              {name}
              <Key>{key}</Key>
            </Button>
          ),
      )}
      {onForget && (
        <Button look="quiet" onClick={onForget}>
          Forget the changes
        </Button>
      )}
    </div>
  );
}

/** The sign of a key, on a button that it presses. */
export const Key = ({ children }: { children: string }) => (
  <kbd aria-hidden className="rounded border border-current px-1 font-mono text-xs opacity-70 max-md:hidden">
    {children}
  </kbd>
);

/** Texts that are no longer are complete in the list. */
const EXCERPT = 1000;

/** A text beside the one that is decided on. */
type Other = Pick<Item, 'id' | 'title' | 'content'> & { about: ReactNode };

interface Decided {
  /** The text that is decided on. */
  text: string;
  /** Keeps in it a sentence of another one. */
  keep: ((sentence: string) => void) | undefined;
}

interface BesideProps extends Decided {
  title: string;
  others: readonly Other[];
  actions?: (id: string) => ReactNode;
}

/** Texts beside the one that is decided on: what of each would be lost or changed. */
export const Beside = ({ title, others, actions, ...decided }: BesideProps) =>
  others.length > 0 && (
    <Section title={title}>
      <ul className="flex flex-col gap-3">
        {others.map((other) => (
          <li key={other.id} className="rounded-lg border border-line bg-panel p-3">
            <div className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-1">
              <h3 className="font-medium">
                <Link to="/memories/$id" params={{ id: other.id }} className="hover:underline">
                  <Name>{other.title}</Name>
                </Link>
              </h3>
              <span className="text-sm text-faint">{other.about}</span>
            </div>
            <Difference other={other} {...decided} />
            <div className="mt-2 flex flex-wrap items-center gap-2 empty:hidden">{actions?.(other.id)}</div>
          </li>
        ))}
      </ul>
    </Section>
  );

function Difference({ other: { id, content }, text, keep }: Decided & { other: Other }) {
  const isCut = [...content].length === EXCERPT;
  const query = useRead('getMemory', [id], { enabled: isCut });
  if (!isCut) return <Changes before={content} after={text} keep={keep} />;
  return (
    <Loaded query={query} skeleton={<Skeleton rows={2} />}>
      {(memory) => <Changes before={memory.content} after={text} keep={keep} />}
    </Loaded>
  );
}

/** The captures that an item was made of. */
export const MadeOf = ({ captures }: { captures: NonNullable<Item['captures']> }) => (
  <Section title={`Made of ${count(captures.length, 'capture')}`}>
    <ul className="flex flex-col gap-3">
      {captures.map(({ id, sessionId, summary, createdAt }) => (
        <li key={id} className="rounded-lg border border-line p-3">
          <p className="text-sm text-soft">
            <Name>{sessionId}</Name> · <Time at={createdAt} />
          </p>
          <p className="mt-1 whitespace-pre-wrap" dir="auto">
            {summary}
          </p>
        </li>
      ))}
    </ul>
  </Section>
);

interface ReplaceProps {
  similar: readonly SimilarMemory[];
  onChoose: (id: string) => void;
  onClose: () => void;
}

/** Asks which of several memories is replaced. The keys 1 to 9 choose, too. */
export const ReplaceDialog = ({ similar, onChoose, onClose }: ReplaceProps) => (
  <Dialog onClose={onClose} title="Which memory does it replace?">
    <ol
      className="flex flex-col gap-2 pt-1"
      onKeyDown={({ key, repeat }) => {
        const chosen = similar[Number(key) - 1];
        if (chosen !== undefined && !repeat) onChoose(chosen.memoryId);
      }}
    >
      {similar.map(({ memoryId, title }, n) => (
        <li key={memoryId}>
          <Button aria-keyshortcuts={`${n + 1}`} autoFocus={n === 0} onClick={() => onChoose(memoryId)}>
            <Key>{`${n + 1}`}</Key>
            <Name className="max-w-96 truncate">{title}</Name>
          </Button>
        </li>
      ))}
    </ol>
  </Dialog>
);
