import { useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { count, duration } from '../../ui/text.tsx';
import { rowOfFile } from './rows.ts';
import { isOver, type Sender, type SenderState, type Sending } from './sender.ts';

/** What is left of the work, in words; '' until enough is done to know. */
function useTimeLeft(done: number, all: number): string {
  const start = useRef<{ at: number; done: number } | null>(null);
  if (done === all) start.current = null;
  else start.current ??= { at: Date.now(), done };
  const since = start.current;
  if (since === null || done - since.done < 3) return '';
  return `about ${duration(((Date.now() - since.at) / 1000 / (done - since.done)) * (all - done))} left`;
}

/** What became of files: `27 imported, 1 failed`. */
const outcomeOf = ({ files, known }: SenderState) =>
  [...Map.groupBy(files, (file) => rowOfFile(file, known).words)]
    .map(([words, some]) => `${some.length.toLocaleString('en')} ${words.toLowerCase()}`)
    .join(', ');

/**
 * One bar from the first file that is sent to the last one that is read.
 * @param active how many imports of the Team are waiting or being read
 */
export function Progress({
  sender,
  sending,
  active,
}: {
  sender: Sender;
  sending: SenderState;
  active: number;
}) {
  const { files, known, held, pause, isBusy } = sending;
  const overOf = (file: Sending) => isOver(file, known);
  const most = useRef(0);
  most.current = active === 0 ? 0 : Math.max(most.current, active);
  // Files that were only refused are no work: what the Team imports is shown.
  const isOwn = active === 0 || files.some(({ state }) => state !== 'refused');
  const all = isOwn ? files.length : most.current;
  const done = isOwn ? files.filter(overOf).length : all - active;
  const left = useTimeLeft(done, all);
  if (all === 0) return null;
  return (
    <section aria-label="Progress" className="mb-3 rounded-lg border border-line bg-panel px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p role="status" className="font-medium tabular-nums">
          {done < all && `${done.toLocaleString('en')} of `}
          {count(all, 'file')} done
        </p>
        <p className="text-soft">{left}</p>
        <div className="ml-auto flex gap-2">
          {isBusy && held === '' && (
            <Button onClick={() => sender.hold('You stopped. The files that wait were not sent.')}>
              Stop
            </Button>
          )}
          {!isBusy && files.some(({ state }) => state === 'waiting') && (
            <Button onClick={() => sender.resume()}>Send the rest</Button>
          )}
          {!isBusy && files.length > 0 && (
            <Button look="quiet" onClick={() => sender.remove(() => true)}>
              Clear
            </Button>
          )}
        </div>
      </div>
      {done < all && (
        <progress
          aria-label="Files done"
          className="my-2 block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-brand [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-brand"
          max={all}
          value={done}
        />
      )}
      <p className="text-sm text-soft">
        {isOwn ? outcomeOf(sending) : 'Files that were sent before are being read.'}
      </p>
      <p role="status" className="text-sm text-warn">
        {pause}
      </p>
      <p role="alert" className="text-sm text-bad">
        {held}
      </p>
    </section>
  );
}
