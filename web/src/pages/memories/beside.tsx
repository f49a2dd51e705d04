import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SimilarMemory } from '../../../../shared/schemas/memories.ts';
import { useRead } from '../../app/data.ts';
import { Button } from '../../ui/button.tsx';
import { Changes } from '../../ui/changes.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded, Skeleton } from '../../ui/states.tsx';
import { count, Name, Time } from '../../ui/text.tsx';
import type { Item } from './entries.ts';
import { Key } from './review-item.tsx';

/** Texts that are no longer are complete in the list. */
const EXCERPT = 1000;

/** A text beside the one that is decided on. */
interface Other {
  id: string;
  title: string;
  about: ReactNode;
  content: string;
}

interface Decided {
  /** The text that is decided on. */
  text: string;
  /** Keeps in it a sentence of another one. */
  keep: ((sentence: string) => void) | undefined;
}

/** Texts beside the one that is decided on: what of each would be lost or changed. */
export const Beside = ({
  title,
  others,
  actions,
  ...decided
}: Decided & { title: string; others: readonly Other[]; actions?: (id: string) => ReactNode }) =>
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

/** Asks which of several memories is replaced. The keys 1 to 9 choose, too. */
export const ReplaceDialog = ({
  similar,
  onChoose,
  onClose,
}: {
  similar: readonly SimilarMemory[];
  onChoose: (id: string) => void;
  onClose: () => void;
}) => (
  <Dialog open onClose={onClose} title="Which memory does it replace?">
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
