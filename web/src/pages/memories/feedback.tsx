import type { OpenFeedback } from '../../../../shared/schemas/feedback.ts';
import { Tag, Time } from '../../ui/text.tsx';
import { VERDICTS } from './labels.tsx';

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
