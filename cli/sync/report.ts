import type { FolderContent } from '../import/folder-files.ts';
import { type Outcome, outcomeTable } from '../import/report.ts';
import { oneLine } from '../terminal/columns.ts';
import type { Action } from './plan.ts';

/** Something that was not done, and why: `skipped` where that is no fault. */
export type NotDone = Extract<Outcome, { why: string }>;

/** What became of a file. */
export interface Change {
  what: 'sent' | 'fetched' | 'removed here' | 'removed there' | 'conflict';
  path: string;
  /** What a person should know beside it. */
  note?: string;
}

/** So many changes are listed one by one. */
const LISTED = 20;
const WHAT_COLUMNS = 15;

const WOULD: Readonly<Record<Change['what'], string>> = {
  sent: 'would send',
  fetched: 'would fetch',
  'removed here': 'would remove here',
  'removed there': 'would remove there',
  conflict: 'would keep both',
};

/** What an action comes to, once it is done; null for what changes no file. */
export function changeOf(action: Action): Change | null {
  const { path } = action;
  switch (action.do) {
    case 'send':
      return { what: 'sent', path, ...(action.revived ? { note: 'deleted there, edited here' } : {}) };
    case 'fetch':
      return { what: 'fetched', path, ...(action.revived ? { note: 'deleted here, edited there' } : {}) };
    case 'delete here':
      return { what: 'removed here', path };
    case 'delete there':
      return { what: 'removed there', path };
    case 'keep both':
      return { what: 'conflict', path };
    case 'adopt':
    case 'forget':
      return null;
  }
}

/** The changes one by one, up to a screen of them. */
export function changeLines(changes: readonly Change[], dryRun: boolean): string[] {
  const width = dryRun ? WHAT_COLUMNS + 5 : WHAT_COLUMNS;
  const lines = changes.slice(0, LISTED).map(({ what, path, note }) => {
    const about = note === undefined ? '' : ` (${oneLine(note)})`;
    return `${(dryRun ? WOULD[what] : what).padEnd(width)}${oneLine(path)}${about}`;
  });
  return changes.length > LISTED ? [...lines, `and ${changes.length - LISTED} more`] : lines;
}

/** A table of the things that were not done. */
export function notDoneTable(notDone: readonly NotDone[], width: number | null): string[] {
  const table = outcomeTable(notDone, width);
  return table.length === 0 ? [] : ['', ...table, ''];
}

/** What is counted beside the changes. */
export interface Figures {
  inStep: number;
  leftOut: FolderContent['leftOut'];
  /** Files there that are left out. */
  leftOutThere: number;
  /** Files beside the two roots. */
  outside: number;
}

/** One line of figures. */
export function figuresLine(changes: readonly Change[], figures: Figures, dryRun: boolean): string {
  const count = (what: Change['what']) => changes.filter((change) => change.what === what).length;
  const files = (n: number) => `${n} ${n === 1 ? 'file' : 'files'}`;
  const conflicts = count('conflict');
  const done = [
    `${dryRun ? 'would send' : 'sent'} ${count('sent')}`,
    `${dryRun ? 'fetch' : 'fetched'} ${count('fetched')}`,
    `${dryRun ? 'remove' : 'removed'} ${count('removed here')} here and ${count('removed there')} there`,
    ...(conflicts === 0
      ? []
      : [
          dryRun
            ? `keep both of ${conflicts}`
            : `${conflicts} ${conflicts === 1 ? 'conflict' : 'conflicts'} kept aside`,
        ]),
  ];
  const { hidden, installed, links, special } = figures.leftOut;
  const out = [
    [hidden, 'hidden'],
    [installed, 'node_modules'],
    [links, 'linked'],
    [special, 'special'],
    [figures.outside, 'beside team/ and clients/<id>/'],
    [figures.leftOutThere, 'hidden there'],
  ] as const;
  const told = out.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`);
  return [
    `${done.join(', ')}; ${files(figures.inStep)} in step.`,
    ...(told.length === 0 ? [] : [`Left out: ${told.join(', ')}.`]),
  ].join(' ');
}
