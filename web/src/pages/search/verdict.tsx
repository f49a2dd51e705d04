import { useMutation } from '@tanstack/react-query';
import { ThumbsDown, ThumbsUp, TimerOff } from 'lucide-react';
import { useState } from 'react';
import type { Verdict } from '../../../../shared/schemas/feedback.ts';
import { useChange } from '../../app/data.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';

const VERDICTS = [
  { verdict: 'useful', name: 'Useful', icon: ThumbsUp },
  { verdict: 'wrong', name: 'Wrong', icon: ThumbsDown },
  { verdict: 'outdated', name: 'Outdated', icon: TimerOff },
] as const;

const CHANGED = ['listMemories', 'getStatus', 'getSource', 'getMemory'] as const;

type Hit = { queryId: string; chunkId: string };
type Props = { what?: 'passage' | 'memory'; hit: () => Hit | Promise<Hit> };

/**
 * What the reader thinks of a text: useful at once, the others with a note for the reviewers.
 * @param props.hit feedback is about a hit of a search: the function says which
 */
export function Verdicts({ what = 'passage', hit }: Props) {
  const [asked, setAsked] = useState<Verdict | null>(null);
  const { mutateAsync: give } = useChange('giveFeedback', CHANGED);
  const sending = useMutation({
    mutationFn: async (said: { verdict: Verdict; note?: string }) => give([{ ...(await hit()), ...said }]),
    onSuccess({ verdict }) {
      setAsked(null);
      say(
        verdict === 'useful'
          ? 'Thank you. It counts as useful.'
          : 'Thank you. Reviewers will see it. Until they decide, searches still find it.',
      );
    },
  });
  const press = (verdict: Verdict) =>
    verdict === 'useful' ? sending.mutate({ verdict }, { onError: sayFailure }) : setAsked(verdict);
  return (
    <>
      <div role="group" aria-label={`Is this ${what} right?`} className="flex flex-wrap">
        {VERDICTS.map(({ verdict, name, icon }) => (
          <Button
            key={verdict}
            look="quiet"
            icon={icon}
            aria-pressed={sending.data?.verdict === verdict}
            busy={sending.isPending}
            className="aria-pressed:text-brand aria-pressed:underline"
            onClick={() => press(verdict)}
          >
            {name}
          </Button>
        ))}
      </div>
      {asked !== null && (
        <FormDialog
          title={`This ${what} is ${asked}`}
          action="Send to the reviewers"
          onClose={() => setAsked(null)}
          send={async (fields) => {
            const note = textIn(fields, 'note');
            await sending.mutateAsync({ verdict: asked, ...(note !== '' && { note }) });
          }}
        >
          <TextArea
            label="What is right? (optional)"
            name="note"
            rows={3}
            maxLength={1000}
            dir="auto"
            autoFocus
          />
        </FormDialog>
      )}
    </>
  );
}
