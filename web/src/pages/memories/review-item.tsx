import { Link } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import { useRights } from '../../app/rights.ts';
import { Button } from '../../ui/button.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Name, Tag, Time } from '../../ui/text.tsx';
import { useDrafts } from './drafts.ts';
import type { Item } from './entries.ts';
import { FeedbackList } from './feedback.tsx';
import { Tags } from './labels.tsx';
import type { Acts } from './review-keys.ts';

/** The item that is decided on: its text, and what is known of it. */
export function ReviewItem({
  item,
  heading,
  children,
}: {
  item: Item;
  heading: Ref<HTMLHeadingElement>;
  /** In place of the text: the form that changes it. */
  children?: ReactNode;
}) {
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

/** What can be decided, always in sight. Each button names its key, and is there as long as the key does something. */
export function ReviewActions({
  acts,
  item,
  others,
  onForget,
}: {
  acts: Acts;
  item: Item;
  /** How many items leave the list with this one. */
  others: number;
  /** Forgets what was typed; absent: nothing was. */
  onForget: (() => void) | undefined;
}) {
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
