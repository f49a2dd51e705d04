import { ThumbsDown, ThumbsUp, TimerOff } from 'lucide-react';
import { useState } from 'react';
import type { Verdict } from '../../../../shared/schemas/feedback.ts';
import { useChange } from '../../app/data.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';

interface Hit {
  queryId: string;
  chunkId: string;
}

const VERDICTS = [
  { verdict: 'useful', name: 'Useful', icon: ThumbsUp },
  { verdict: 'wrong', name: 'Wrong', icon: ThumbsDown },
  { verdict: 'outdated', name: 'Outdated', icon: TimerOff },
] as const;

/**
 * What the reader thinks of a text: useful at once, the others with a note for the reviewers.
 * @param props.hit feedback is about a hit of a search: the function says which
 */
export function Verdicts({
  what = 'passage',
  hit,
}: {
  what?: 'passage' | 'memory';
  hit: () => Hit | Promise<Hit>;
}) {
  const [asked, setAsked] = useState<Verdict | null>(null);
  const [busy, setBusy] = useState(false);
  const give = useChange('giveFeedback', ['listMemories', 'getStatus', 'getSource', 'getMemory']);
  async function send(verdict: Verdict, note: string) {
    setBusy(true);
    try {
      await give.mutateAsync([{ ...(await hit()), verdict, ...(note !== '' && { note }) }]);
    } finally {
      setBusy(false);
    }
    setAsked(null);
    say(
      verdict === 'useful'
        ? 'Thank you. It counts as useful.'
        : 'Thank you. Reviewers will see it. Until they decide, searches still find it.',
    );
  }
  return (
    <>
      <div role="group" aria-label={`Is this ${what} right?`} className="flex flex-wrap">
        {VERDICTS.map(({ verdict, name, icon }) => (
          <Button
            key={verdict}
            look="quiet"
            icon={icon}
            aria-pressed={give.data?.verdict === verdict}
            busy={busy}
            className="aria-pressed:text-brand aria-pressed:underline"
            onClick={() =>
              verdict === 'useful' ? void send(verdict, '').catch(sayFailure) : setAsked(verdict)
            }
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
          send={(fields) => send(asked, textIn(fields, 'note'))}
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
