import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import type { OpenFeedback, Verdict } from '../../../../shared/schemas/feedback.ts';
import type { Memory } from '../../../../shared/schemas/memories.ts';
import { useRead } from '../../app/data.ts';
import { useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/filter-bar.tsx';
import { Section } from '../../ui/section.tsx';
import { Name, Tag, Time } from '../../ui/text.tsx';

export const LINK = 'text-brand underline';

/** What each state of a memory is called. */
export const STATES: Readonly<Record<Memory['state'], string>> = {
  review: 'In review',
  published: 'Published',
  discarded: 'Discarded',
  archived: 'Archived',
};
export const TONES = { review: 'warn', published: 'good', discarded: 'plain', archived: 'plain' } as const;

/** What can be said of a text that was found. */
export const VERDICTS: Readonly<Record<Verdict, string>> = {
  useful: 'Useful',
  outdated: 'Outdated',
  wrong: 'Wrong',
};

/** The tags of a record, in one line: at most so many. */
export const Tags = ({ tags, most = tags.length }: { tags: readonly string[]; most?: number }) => (
  <span className={`flex gap-1 ${most < tags.length ? '' : 'flex-wrap'}`}>
    {tags.slice(0, most).map((tag) => (
      <Tag key={tag}>
        <Name>{tag}</Name>
      </Tag>
    ))}
    {tags.length > most && <span className="text-xs text-faint">+{tags.length - most}</span>}
  </span>
);

/** The feedback on a source that waits for a decision, with what leads to one. */
export function Questions({ sourceId, children }: { sourceId: string; children: ReactNode }) {
  const { data } = useRead('listMemories', [{ state: 'review', sourceId }]);
  const feedback = data?.items[0]?.feedback ?? [];
  return (
    feedback.length > 0 && (
      <Section title="Feedback to decide on" actions={children}>
        <FeedbackList feedback={feedback} />
      </Section>
    )
  );
}

/** Feedback that waits for a decision. The text that was found is part of the one that it is shown with. */
export const FeedbackList = ({ feedback }: { feedback: readonly OpenFeedback[] }) => (
  <ul className="flex flex-col gap-3">
    {feedback.map(({ verdict, note, createdAt, chunkId }) => (
      <li key={`${chunkId} ${createdAt}`} className="rounded-md bg-warn-tint p-3">
        <Tag tone="warn">{VERDICTS[verdict]}</Tag> <Time at={createdAt} className="text-sm text-soft" />
        <p className="mt-1 whitespace-pre-wrap" dir="auto">
          {note}
        </p>
      </li>
    ))}
  </ul>
);

/** Limits a list to a client. It is absent in a Team without clients. */
export function ClientFilter(props: Pick<ComponentProps<typeof ChoiceFilter>, 'value' | 'onChange'>) {
  const options = useRights().clients.map(({ id, name }) => ({ value: id, name }));
  return options.length > 0 && <ChoiceFilter label="Client" options={options} {...props} />;
}

/** How a Team gets its first captures and memories. */
export function ConnectAgent() {
  const { access, state } = useTeam();
  if (state === 'archived') return <p>This Team is archived, so nothing can be added to it.</p>;
  if (access === 'read')
    return <p>You can only read in this Team. Ask an Owner or Admin of the Team for more access.</p>;
  return (
    <Link to="/tokens" className={buttonClass('primary')}>
      Connect an agent
    </Link>
  );
}
