import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceRefusal } from '../client/service-client.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { counted, jsonText, outputWidth, printLines, type Result } from '../terminal/output.ts';
import type { ProgressBar } from '../terminal/progress-bar.ts';
import { lstatOrNull } from './disk.ts';
import { type PassOutcome, syncOnce } from './pass.ts';
import { changeLines, figuresLine, notDoneTable, outsideLines } from './report.ts';
import { STATE_FOLDER } from './state.ts';
import type { SyncFolder } from './work.ts';

/** The interval of passes without a hint: the service sends no notifications, and some file systems do not either. */
const PASS_INTERVAL_MS = 15_000;
/** How long the folder must be quiet before a pass: saving a file or copying many files takes some time. */
const QUIET_MS = 300;
/** The longest wait for quiet: a file that is written continuously must not delay the others. */
const MAX_QUIET_WAIT_MS = 5000;

/** Decides when the next pass starts. */
interface Hints {
  /** Waits until a change in the folder is complete, or until the next regular pass. */
  next(): Promise<void>;
  close(): void;
}

/** Starts watching a folder. If that is not possible, only the regular passes find changes. */
export function watchFolder(folder: string): Hints {
  let hinted = false;
  let wake = () => {};
  const hint = (_event: string, name: string | Buffer | null) => {
    const first = String(name ?? '').split(/[/\\]/, 1)[0];
    if (first === STATE_FOLDER) return;
    hinted = true;
    wake();
  };
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(folder, { recursive: true }, hint);
    watcher.on('error', () => {});
  } catch {
    // For example: more folders than the system can watch.
  }
  const nextHint = async () => {
    const looked = new AbortController();
    const hintOf = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const turn = pause(PASS_INTERVAL_MS, undefined, { signal: looked.signal }).catch(() => {});
    await Promise.race([hintOf, turn]);
    looked.abort();
  };
  return {
    next: async () => {
      if (!hinted) await nextHint();
      const end = performance.now() + MAX_QUIET_WAIT_MS;
      while (hinted && performance.now() < end) {
        hinted = false;
        await pause(QUIET_MS);
      }
      hinted = false;
    },
    close: () => watcher?.close(),
  };
}

/** The user answered no to the question about deletions. */
export class Declined extends CommandError {
  override name = 'Declined';
}

/** Runs a sync. Returns its outcome, and the error if it failed. */
async function attempt(sync: SyncFolder): Promise<{ outcome: PassOutcome; failure: unknown }> {
  const leftOut = { hidden: 0, installed: 0, links: 0, special: 0 };
  const figures = { inSync: sync.state.files.size, leftOut, leftOutThere: 0, outside: 0, outsideNames: [] };
  const outcome: PassOutcome = { changes: [], notDone: [], figures };
  const failure = await syncOnce(sync, outcome).then(
    () => null,
    (error: unknown) => error,
  );
  sync.progress.end();
  return { outcome, failure };
}

/** The error of a run that did not sync everything; null if it did. */
function faultOf({ notDone }: PassOutcome): CommandError | null {
  const faults = notDone.filter(({ state }) => state !== 'skipped').length;
  if (faults === 0) return null;
  return new CommandError(`sync incomplete: ${counted(faults, 'item')} failed`);
}

function tableOf({ notDone }: PassOutcome): string[] {
  return notDoneTable(notDone, outputWidth());
}

/** The outcome of a pass for a program. */
function dataOf({ changes, notDone, figures }: PassOutcome) {
  return { changes, notDone, ...figures };
}

const WHERE = 'put files of the Team in team/, and files of a client in clients/<id>/';

/** Whether there was no file to sync on either side. */
function isEmpty({ changes, notDone, figures }: PassOutcome): boolean {
  return changes.length === 0 && notDone.length === 0 && figures.inSync === 0;
}

/** The error of a folder whose files cannot be synced, because it has no folder of a layer; null otherwise. */
async function emptyFault(folder: string, outcome: PassOutcome): Promise<CommandError | null> {
  if (!isEmpty(outcome) || outcome.figures.outside === 0) return null;
  const layers = await Promise.all(['team', 'clients'].map((name) => lstatOrNull(join(folder, name))));
  if (layers.some((layer) => layer !== null)) return null;
  return new CommandError(
    `nothing was synced: ${oneLine(folder)} has neither team/ nor clients/: create ${oneLine(join(folder, 'team'))} and ${WHERE}`,
  );
}

/** Syncs both sides once. The result has the changes and the failures. */
export async function syncAndReport(sync: SyncFolder): Promise<Result> {
  const dryRun = sync.writers === null;
  const { outcome, failure } = await attempt(sync);
  // If the run ended before it changed anything, there are no figures to print.
  const hasFigures = failure === null || outcome.changes.length > 0;
  const lines = [
    ...changeLines(outcome.changes, dryRun),
    ...tableOf(outcome),
    ...(hasFigures
      ? [...outsideLines(outcome.figures), figuresLine(outcome.changes, outcome.figures, dryRun)]
      : []),
  ];
  const fault = failure ?? faultOf(outcome) ?? (await emptyFault(sync.folder, outcome));
  if (fault === null && isEmpty(outcome)) lines.push(`Nothing to sync yet: ${WHERE}.`);
  return { text: lines.join('\n'), data: dataOf(outcome), failure: fault ?? undefined };
}

/** A progress bar that shows only waits: a pass of `--watch` that finds no change prints nothing. */
function quiet(progress: ProgressBar): ProgressBar {
  return {
    show: () => {},
    note: (text) => progress.note(text),
    line: (text) => progress.line(text),
    end: () => {},
  };
}

/** Whether a later pass can succeed after this error. */
function isTemporary(error: unknown): error is CommandError {
  if (!(error instanceof CommandError) || error instanceof Declined) return false;
  return !(error instanceof ServiceRefusal && error.isCredentialInvalid);
}

/**
 * Keeps both sides in sync until the process ends. Prints changes, and each failure once.
 * @param json print a line of JSON for each pass that changed something or met a new failure
 * @throws CommandError if a later pass cannot succeed
 */
export async function syncContinuously(sync: SyncFolder, hints: Hints, json: boolean): Promise<never> {
  let printed = '';
  for (let first = true; ; first = false) {
    const { outcome, failure } = await attempt(first ? sync : { ...sync, progress: quiet(sync.progress) });
    if (failure !== null && !isTemporary(failure)) throw failure;
    const table = tableOf(outcome);
    const trouble = [
      ...table,
      ...outsideLines(outcome.figures),
      ...(failure === null ? [] : [`memory: ${failure.message}`]),
    ];
    const text = trouble.join('\n');
    const hasChanged = first || outcome.changes.length > 0;
    if (json) {
      const error = failure === null ? null : failure.message;
      if (hasChanged || text !== printed) printLines([jsonText({ ...dataOf(outcome), error })]);
    } else {
      printLines(changeLines(outcome.changes, false));
      if (text !== printed) printLines(trouble);
      if (hasChanged) printLines([figuresLine(outcome.changes, outcome.figures, false)]);
      if (first) printLines([`Watching ${oneLine(sync.folder)}. Press Ctrl-C to stop.`]);
    }
    printed = text;
    await hints.next();
  }
}
