import { ServiceRefusal } from '../client/service-client.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type ProgressBar, terminalColumns } from '../terminal/progress-bar.ts';
import { type PassOutcome, syncOnce } from './pass.ts';
import { changeLines, figuresLine, notDoneTable } from './report.ts';
import type { Hints } from './watch.ts';
import type { SyncFolder } from './work.ts';

/** A person said no. */
export class Declined extends CommandError {
  override name = 'Declined';
}

/** A run and its outcome, also if it ended before its work was done. */
async function attempt(sync: SyncFolder): Promise<{ outcome: PassOutcome; ended: unknown }> {
  const leftOut = { hidden: 0, installed: 0, links: 0, special: 0 };
  const figures = { inStep: sync.state.files.size, leftOut, leftOutThere: 0, outside: 0 };
  const outcome: PassOutcome = { changes: [], notDone: [], figures };
  const ended = await syncOnce(sync, outcome).then(
    () => null,
    (error: unknown) => error,
  );
  sync.progress.end();
  return { outcome, ended };
}

/** What ends a run after which the sides are not in step; null where they are. */
function faultOf({ notDone }: PassOutcome): CommandError | null {
  const faults = notDone.filter(({ state }) => state !== 'skipped').length;
  if (faults === 0) return null;
  return new CommandError(
    `not all is in step: ${faults === 1 ? 'one thing was' : `${faults} things were`} not done`,
  );
}

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

function tableOf({ notDone }: PassOutcome): string[] {
  return notDoneTable(notDone, process.stdout.isTTY ? terminalColumns(process.stdout) : null);
}

/**
 * Brings both sides in step once, and tells what was done and what was not.
 * @returns the line of figures
 * @throws CommandError where something was not done, after all of it was told
 */
export async function syncAndTell(sync: SyncFolder): Promise<string> {
  const dryRun = sync.hand === null;
  const { outcome, ended } = await attempt(sync);
  print([...changeLines(outcome.changes, dryRun), ...tableOf(outcome)]);
  const figures = figuresLine(outcome.changes, outcome.figures, dryRun);
  const fault = ended ?? faultOf(outcome);
  if (fault === null) return figures;
  // Of a run that ended before it began there is nothing to tell.
  if (ended === null || outcome.changes.length > 0) print([figures]);
  throw fault;
}

/** Nothing but what is waited for: of a look that finds nothing, nothing is to be told. */
function quiet(progress: ProgressBar): ProgressBar {
  return {
    show: () => {},
    note: (text) => progress.note(text),
    line: (text) => progress.line(text),
    end: () => {},
  };
}

/** Whether a later look may do better than one that ended so. */
function mayPass(error: unknown): error is CommandError {
  if (!(error instanceof CommandError) || error instanceof Declined) return false;
  return !(error instanceof ServiceRefusal && error.ended);
}

/**
 * Keeps both sides in step, until it is ended. Tells what it does, and once what it cannot do.
 * @throws CommandError where no later look would do better
 */
export async function keepInStep(sync: SyncFolder, hints: Hints): Promise<never> {
  let said = '';
  for (let first = true; ; first = false) {
    const { outcome, ended } = await attempt(first ? sync : { ...sync, progress: quiet(sync.progress) });
    if (ended !== null && !mayPass(ended)) throw ended;
    const table = tableOf(outcome);
    const trouble = [...table, ...(ended === null ? [] : [`memory: ${ended.message}`])];
    const told = trouble.join('\n');
    print(changeLines(outcome.changes, false));
    if (told !== said) print(trouble);
    said = told;
    if (first || outcome.changes.length > 0) print([figuresLine(outcome.changes, outcome.figures, false)]);
    if (first) print([`Watching ${oneLine(sync.folder)}: Ctrl-C ends it.`]);
    await hints.next();
  }
}
