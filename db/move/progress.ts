import type { Table } from './catalog.ts';
import type { Source } from './source.ts';

/** How far a step of the move has come. */
export interface MoveProgress {
  step: 'moving' | 'checking';
  table: string;
  /** The rows of the table that are done, and all of them. */
  rows: number;
  of: number;
  /** How much of the step is done, from 0 to 1, by the size of the tables on the disk. */
  share: number;
  /** An estimate for the rest of the step. Null: too little is done. */
  secondsLeft: number | null;
}

/** A step is not estimated before so much of it was done, in seconds. */
const ESTIMATED_AFTER = 3;

/** Measures a step of the move. */
export function measureProgress(
  step: MoveProgress['step'],
  { tables, counts }: Pick<Source, 'tables' | 'counts'>,
  report: (progress: MoveProgress) => void,
) {
  const total = Math.max(
    1,
    tables.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const startedAt = performance.now();
  let finished = 0;
  /** What an earlier process has done. */
  let skipped = 0;
  return {
    /**
     * Begins a table. An earlier process can have done some of its rows.
     * @returns what is to be called with each number of rows that are done
     */
    begin: ({ name, bytes }: Table, before = 0) => {
      const of = counts.get(name) ?? 0;
      const weight = of === 0 ? 0 : bytes / of;
      let rows = before;
      const earlier = finished;
      skipped += before * weight;
      const show = () => {
        const done = earlier + rows * weight;
        const seconds = (performance.now() - startedAt) / 1000;
        const rate = (done - skipped) / seconds;
        const isKnown = seconds >= ESTIMATED_AFTER && rate > 0;
        report({
          step,
          table: name,
          rows,
          of,
          share: done / total,
          secondsLeft: isKnown ? Math.ceil((total - done) / rate) : null,
        });
      };
      finished += bytes;
      show();
      return (more: number) => {
        rows += more;
        show();
      };
    },
  };
}
