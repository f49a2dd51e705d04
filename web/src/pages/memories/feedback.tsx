import type { OpenFeedback } from '../../../../shared/schemas/feedback.ts';
import type { Memory } from '../../../../shared/schemas/memories.ts';
import { useChange, useRead } from '../../app/data.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { Tag, Time } from '../../ui/text.tsx';
import { Verdicts } from '../search/verdict.tsx';
import { VERDICTS } from './labels.tsx';

/** Characters of the text that are searched for if the title has no word that a search finds. */
const SEARCHED = 300;

/** Asks whether the memory is right. Everyone who can read it can say so. */
export function GiveFeedback({ memory: { title, content, clientId, sourceId } }: { memory: Memory }) {
  const search = useChange('searchMemory', []);
  async function find() {
    for (const query of [title, [...content].slice(0, SEARCHED).join('')]) {
      const scope = clientId === null ? {} : { clientId, include: ['client' as const] };
      const body = { query, scope, embeddingMode: 'auto' as const, sourceIds: [sourceId ?? ''], topK: 1 };
      const { queryId, hits } = await search.mutateAsync([body]);
      if (hits[0]) return { queryId, chunkId: hits[0].chunk_id };
    }
    throw new Error('Searches do not find this memory at the moment. Wait a moment, and try again.');
  }
  return (
    <Section title="Is this right?">
      <div className="-ml-3">
        <Verdicts what="memory" hit={find} />
      </div>
    </Section>
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

/** The feedback on a published memory that waits for a decision. */
export function Questions({ memory, keep }: { memory: Memory; keep: (() => void) | undefined }) {
  const found = useRead('listMemories', [{ state: 'review', sourceId: memory.sourceId ?? '' }]);
  const feedback = found.data?.items[0]?.feedback;
  return (
    feedback && (
      <Section
        title="Feedback to decide on"
        actions={keep && <Button onClick={keep}>Keep it as it is</Button>}
      >
        <FeedbackList feedback={feedback} />
      </Section>
    )
  );
}
