import type { WriteStream } from 'node:tty';
import { cell, fit } from './columns.ts';

const LABEL_COLUMNS = 9;
/** In a narrow terminal a third of it, so that there is room for the text. */
const BAR_COLUMNS = 24;
/** Of a terminal that does not tell. */
const USUAL_COLUMNS = 80;
/** Often enough for the eye. */
const DRAW_EVERY_MS = 50;
/** Where lines stay, one now and then is enough. */
const LINE_EVERY_MS = 10_000;

/** How far a step is. */
export interface Step {
  label: string;
  /** From 0 to 1. */
  share: number;
  text: string;
}

/** Shows a person how far a command is: a bar that is drawn over at a terminal, elsewhere plain lines. */
export interface ProgressBar {
  show(step: Step): void;
  /** Says in place of the step's text what is waited for; null when that is over. */
  note(text: string | null): void;
  /** A line that stays, above the bar. */
  line(text: string): void;
  /** Ends the bar, for other output. */
  end(): void;
}

/** The columns of the terminal that a stream is. */
export function terminalColumns({ columns }: WriteStream): number {
  return columns > 0 ? columns : USUAL_COLUMNS;
}

/** A bar on standard output. */
export function openProgressBar(out: WriteStream): ProgressBar {
  return out.isTTY ? drawnBar(out) : plainLines(out);
}

function drawnBar(out: WriteStream): ProgressBar {
  let [step, note, drawn, at]: [Step | null, string | null, boolean, number] = [null, null, false, 0];
  const clear = () => {
    if (!drawn) return;
    out.cursorTo(0);
    out.clearLine(0);
    drawn = false;
  };
  const draw = () => {
    clear();
    if (step === null) return;
    const width = terminalColumns(out);
    const whole = Math.min(BAR_COLUMNS, Math.floor(width / 3));
    const full = Math.floor(Math.min(step.share, 1) * whole);
    const bar = `${cell(step.label, LABEL_COLUMNS)}[${'#'.repeat(full)}${' '.repeat(whole - full)}] `;
    // A line as wide as the terminal would go on below, and could not be drawn over.
    out.write(bar + fit(note ?? step.text, Math.max(width - bar.length - 1, 1)));
    [drawn, at] = [true, performance.now()];
  };
  const end = () => {
    if (drawn) out.write('\n');
    [step, drawn] = [null, false];
  };
  return {
    show: (next) => {
      // The end of a step stays to be seen.
      const begins = step?.label !== next.label;
      if (begins) end();
      step = next;
      if (begins || step.share >= 1 || performance.now() - at >= DRAW_EVERY_MS) draw();
    },
    note: (text) => {
      note = text;
      if (step !== null) draw();
      else if (text !== null) out.write(`${text}\n`);
    },
    line: (text) => {
      clear();
      out.write(`${text}\n`);
      draw();
    },
    end,
  };
}

function plainLines(out: WriteStream): ProgressBar {
  let [label, said, at, noted]: [string, string, number, string | null] = ['', '', 0, null];
  const line = (text: string) => {
    out.write(`${text}\n`);
  };
  return {
    show: (step) => {
      const text = cell(step.label, LABEL_COLUMNS) + step.text;
      const now = performance.now();
      const due = step.label !== label || now - at >= LINE_EVERY_MS || step.share >= 1;
      if (!due || text === said) return;
      [label, said, at] = [step.label, text, now];
      line(text);
    },
    note: (text) => {
      if (text !== null && text !== noted) line(text);
      noted = text;
    },
    line,
    end: () => {},
  };
}
