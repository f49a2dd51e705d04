import type { FolderContent } from '../import/records.ts';
import { type Outcome, outcomeTable } from '../import/report.ts';
import { oneLine } from '../terminal/columns.ts';
import { counted } from '../terminal/output.ts';
import type { Action } from './plan.ts';

/** A file that was not synced, and the reason. `skipped` does not count as a failure. */
export type NotDone = Extract<Outcome, { why: string }>;

/** A change that the sync made. */
export interface Change {
  what: 'sent' | 'fetched' | 'removed here' | 'removed there' | 'conflict';
  path: string;
  /** Additional information for a person. */
  note?: string;
}

/** How many changes are listed one by one. */
const MAX_LISTED = 20;
const WHAT_COLUMNS = 15;

const WOULD: Readonly<Record<Change['what'], string>> = {
  sent: 'would send',
  fetched: 'would fetch',
  'removed here': 'would remove here',
  'removed there': 'would remove there',
  conflict: 'would keep both',
};

/** The change that an action makes; null if it changes no file. */
export function changeOf(action: Action): Change | null {
  const { path } = action;
  switch (action.do) {
    case 'send':
      return {
        what: 'sent',
        path,
        ...(action.revived ? { note: 'deleted in the service, edited here' } : {}),
      };
    case 'fetch':
      return {
        what: 'fetched',
        path,
        ...(action.revived ? { note: 'deleted here, edited in the service' } : {}),
      };
    case 'delete here':
      return { what: 'removed here', path };
    case 'delete there':
      return { what: 'removed there', path };
    case 'keep both':
      return { what: 'conflict', path };
    case 'adopt':
    case 'drop':
      return null;
  }
}

/** One line for each change, up to a limit. */
export function changeLines(changes: readonly Change[], dryRun: boolean): string[] {
  const width = dryRun ? WHAT_COLUMNS + 5 : WHAT_COLUMNS;
  const lines = changes.slice(0, MAX_LISTED).map(({ what, path, note }) => {
    const about = note === undefined ? '' : ` (${oneLine(note)})`;
    return `${(dryRun ? WOULD[what] : what).padEnd(width)}${oneLine(path)}${about}`;
  });
  return changes.length > MAX_LISTED ? [...lines, `and ${changes.length - MAX_LISTED} more`] : lines;
}

/** A table of the files that were not synced. */
export function notDoneTable(notDone: readonly NotDone[], width: number | null): string[] {
  const table = outcomeTable(notDone, width);
  return table.length === 0 ? [] : ['', ...table, ''];
}

/** The figures that are printed after the changes. */
export interface Figures {
  inSync: number;
  leftOut: FolderContent['leftOut'];
  /** Files of the service that are left out. */
  leftOutThere: number;
  /** Local files outside `team` and `clients/<id>`. */
  outside: number;
  /** Their names, or those of the folders that they are in. */
  outsideNames: readonly string[];
}

/** How many names of files outside the workspace are listed. */
const MAX_OUTSIDE = 5;

/** Names the files that no sync copies; no line without any. */
export function outsideLines({ outsideNames }: Figures): string[] {
  if (outsideNames.length === 0) return [];
  const names = outsideNames.slice(0, MAX_OUTSIDE).map(oneLine).join(', ');
  const more = outsideNames.length - MAX_OUTSIDE;
  return [
    `Not synced: ${names}${more > 0 ? ` and ${more} more` : ''}. Files of the Team belong in team/, those of a client in clients/<id>/.`,
  ];
}

/** Makes one line of figures. */
export function figuresLine(changes: readonly Change[], figures: Figures, dryRun: boolean): string {
  const count = (what: Change['what']) => changes.filter((change) => change.what === what).length;
  const conflicts = count('conflict');
  const done = [
    `${dryRun ? 'would send' : 'sent'} ${count('sent')}`,
    `${dryRun ? 'fetch' : 'fetched'} ${count('fetched')}`,
    `${dryRun ? 'remove' : 'removed'} ${count('removed here')} here and ${count('removed there')} there`,
    ...(conflicts === 0
      ? []
      : [dryRun ? `keep both of ${conflicts}` : `${counted(conflicts, 'conflict')} kept aside`]),
  ];
  const { hidden, installed, links, special } = figures.leftOut;
  const out = [
    [hidden, 'hidden'],
    [installed, 'node_modules'],
    [links, 'linked'],
    [special, 'special'],
    [figures.outside, 'outside team/ and clients/<id>/'],
    [figures.leftOutThere, 'hidden in the service'],
  ] as const;
  const leftOut = out.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`);
  return [
    `${done.join(', ')}; ${counted(figures.inSync, 'file')} in sync.`,
    ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join(', ')}.`]),
  ].join(' ');
}
