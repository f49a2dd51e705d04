import { useState } from 'react';
import type { Status } from '../../../../shared/schemas/status.ts';
import type { Figure } from '../../ui/figures.tsx';

/** How many polled figures a line has: those of about ten minutes. */
const SAMPLES = 150;

interface Sample {
  at: number;
  status: Status;
}

/** The figures that the page has polled, the oldest first. */
export function usePolled(status: Status | undefined, at: number): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  if (status === undefined || samples.at(-1)?.at === at) return samples;
  const next = [...samples, { at, status }].slice(-SAMPLES);
  setSamples(next);
  return next;
}

const number = (n: number) => n.toLocaleString('en');

const FIGURES: Readonly<Record<string, (status: Status) => [now: number, about: string]>> = {
  'Imports that wait': ({ imports: { queued, running, completed } }) => [
    queued + running,
    `${number(running)} running, ${number(completed)} completed`,
  ],
  'Passages without an embedding': ({ chunks: { pending, total } }) => [pending, `of ${number(total)}`],
  'Captures staged': ({ captures: { staged, claimed, completed } }) => [
    staged,
    `${number(claimed)} claimed, ${number(completed)} completed`,
  ],
  'Memories in review': ({ memories: { review, published } }) => [review, `${number(published)} published`],
};

/** What waits in the Team, by what was polled. */
export const figuresOf = (samples: readonly Sample[], status: Status): Figure[] =>
  Object.entries(FIGURES).map(([name, read]) => {
    const [now, about] = read(status);
    const values = samples.map((sample) => read(sample.status)[0]);
    return { name, now, about, values, label: `${name}, as polled: now ${now}` };
  });
