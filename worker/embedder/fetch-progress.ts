import type { WriteStream } from 'node:tty';
import { describeSeconds } from '../../shared/formats/times.ts';
import type { FetchProgress } from './model-files.ts';
import { shownSize } from './shown-size.ts';

const BAR_COLUMNS = 24;
/** The assumed width of a terminal that does not report its width. */
const USUAL_COLUMNS = 80;
/** The interval of plain lines, which are not drawn over. */
const LINE_EVERY_MS = 5000;

/** Shows the progress of a model's download. */
export interface ShownProgress {
  report: (progress: FetchProgress) => void;
  /** Ends the bar, so that other output can follow. */
  end: () => void;
}

/** In a terminal, a bar that is drawn over; otherwise a line at the end of each file and every few seconds. */
export function showProgress(out: WriteStream): ShownProgress {
  return out.isTTY ? drawnBar(out) : plainLines(out);
}

function drawnBar(out: WriteStream): ShownProgress {
  let drawn = false;
  return {
    report: (progress) => {
      const { allBytes, allTotal } = progress;
      const full = allTotal === null ? 0 : Math.floor((allBytes / Math.max(allTotal, 1)) * BAR_COLUMNS);
      const bar = `[${'#'.repeat(full)}${' '.repeat(BAR_COLUMNS - full)}] ${amount(progress)}  ${progress.file}`;
      out.cursorTo(0);
      out.clearLine(0);
      // A line as wide as the terminal would wrap, and could not be drawn over.
      out.write(bar.slice(0, (out.columns || USUAL_COLUMNS) - 1));
      drawn = true;
    },
    end: () => {
      if (drawn) out.write('\n');
      drawn = false;
    },
  };
}

function plainLines(out: WriteStream): ShownProgress {
  let saidAt = performance.now();
  return {
    report: (progress) => {
      const now = performance.now();
      if (progress.bytes !== progress.total && now - saidAt < LINE_EVERY_MS) return;
      saidAt = now;
      out.write(`fetched ${amount(progress)}  ${progress.file}\n`);
    },
    end: () => {},
  };
}

function amount({ allBytes, allTotal, secondsLeft }: FetchProgress): string {
  if (allTotal === null) return shownSize(allBytes);
  const percent = Math.floor((allBytes / Math.max(allTotal, 1)) * 100);
  const left =
    secondsLeft === null || secondsLeft === 0 ? '' : `, about ${describeSeconds(secondsLeft)} left`;
  return `${String(percent).padStart(3)} %  ${shownSize(allBytes)} of ${shownSize(allTotal)}${left}`;
}
