import { setTimeout as pause } from 'node:timers/promises';
import type { WriteStream } from 'node:tty';
import { cell, fit, printable } from './columns.ts';
import { EXIT_CODES, Interrupted } from './command-error.ts';
import { terminalColumns } from './output.ts';

const LABEL_COLUMNS = 9;
/** In a narrow terminal, the bar has a third of the width, so that there is room for the text. */
const BAR_COLUMNS = 24;
/** Often enough to look continuous. */
const DRAW_EVERY_MS = 50;
/** The interval of plain lines, which are not drawn over. */
const LINE_EVERY_MS = 10_000;

/** The progress of one step of a command. */
export interface Step {
  label: string;
  /** From 0 to 1. */
  share: number;
  text: string;
}

/** Shows the progress of a command: in a terminal as a bar that is drawn over, otherwise as plain lines. */
export interface ProgressBar {
  show(step: Step): void;
  /** Shows the reason for a wait instead of the step's text; null when the wait is over. */
  note(text: string | null): void;
  /** Prints a line above the bar. */
  line(text: string): void;
  /** Ends the bar, so that other output can follow. */
  end(): void;
}

/** Opens a progress bar on a stream. */
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
    // A line as wide as the terminal would wrap, and could not be drawn over.
    out.write(bar + fit(note ?? step.text, Math.max(width - bar.length - 1, 1)));
    [drawn, at] = [true, performance.now()];
  };
  const end = () => {
    if (drawn) out.write('\n');
    [step, drawn] = [null, false];
  };
  return {
    show: (next) => {
      // The last line of a step stays visible.
      const begins = step?.label !== next.label;
      if (begins) end();
      step = next;
      if (begins || step.share >= 1 || performance.now() - at >= DRAW_EVERY_MS) draw();
    },
    note: (text) => {
      note = text;
      if (step !== null) draw();
      else if (text !== null) out.write(`${printable(text)}\n`);
    },
    line: (text) => {
      clear();
      out.write(`${printable(text)}\n`);
      draw();
    },
    end,
  };
}

function plainLines(out: WriteStream): ProgressBar {
  let [label, lastText, at, noted]: [string, string, number, string | null] = ['', '', 0, null];
  const line = (text: string) => {
    out.write(`${printable(text)}\n`);
  };
  return {
    show: (step) => {
      const text = `${step.label}: ${step.text}`;
      const now = performance.now();
      const due = step.label !== label || now - at >= LINE_EVERY_MS || step.share >= 1;
      if (!due || text === lastText) return;
      [label, lastText, at] = [step.label, text, now];
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

/** Runs the work. Ctrl-C ends the process at once; everything done so far stays. */
export async function interruptible<Result>(
  progress: ProgressBar,
  work: () => Promise<Result>,
): Promise<Result> {
  const interrupt = () => {
    progress.end();
    process.exit(EXIT_CODES.interrupted.code);
  };
  process.on('SIGINT', interrupt);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupt);
    progress.end();
  }
}

/** The signals that ask a command to end. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type Ending = (typeof SIGNALS)[number];

/** Runs work during which signals do not end the process. Each is given to `onSignal` instead. */
export async function catchSignals<Value>(
  onSignal: (signal: Ending) => void,
  work: () => Promise<Value>,
): Promise<Value> {
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/**
 * Runs work that must not be left half done when Ctrl-C is pressed or another signal arrives. The process goes on, and
 * the next call of `throwIfInterrupted` in the work throws Interrupted, so that the work can undo what it has begun.
 */
export function undoable<Value>(
  work: (throwIfInterrupted: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  let isInterrupted = false;
  return catchSignals(
    () => {
      isInterrupted = true;
    },
    () =>
      work(async () => {
        // The end of a program can be noticed before the signal that both received.
        await pause(0);
        if (isInterrupted) throw new Interrupted();
      }),
  );
}
