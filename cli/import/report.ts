import { unreadWords } from '../../shared/formats/unread-words.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { SimilarSource } from '../../shared/schemas/sources.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import { groupBy } from '../program/older-node.ts';
import { cell, columns, fit, oneLine, wrap } from '../terminal/columns.ts';
import { counted } from '../terminal/output.ts';
import type { FolderContent } from './records.ts';

/**
 * The result for one file. `new`: a dry run would send it. `waiting`: the command ended before the worker had read it.
 * `earlier`: it failed in an earlier run. `sameAs`: the first source with its text, if there is an earlier one. `similarTo`:
 * otherwise the source whose text is most similar to it, if one is nearly the same. `credentials`: how many the service found
 * in it, if it found any. `unread`: what could not be read of it, if anything. `encoding`: in which it was read, if not UTF-8.
 */
export type Outcome =
  | {
      name: string;
      state: 'imported';
      sameAs?: NonNullable<Import['sameAs']>;
      similarTo?: SimilarSource;
      credentials?: number;
      unread?: readonly Unread[];
      encoding?: string;
    }
  | { name: string; state: 'there' | 'new' | 'waiting'; credentials?: number }
  | { name: string; state: 'failed' | 'not sent' | 'skipped'; why: string; earlier?: true };

type Explained = Extract<Outcome, { why: string }>;

/** The most important rows come last, because the end of the table is what a person sees in the terminal. */
const ORDER: readonly Explained['state'][] = ['skipped', 'not sent', 'failed'];
/** Up to this many files skipped for one reason are all named. If there are more, only the first is. */
const MAX_NAMED = 3;
const STATE_COLUMNS = 10;
const GAP = 2;
const MAX_REASON_LINES = 4;

interface Row {
  state: string;
  name: string;
  why: string;
}

/** One row for each file, except that many files skipped for the same reason share one: there can be thousands. */
function rowsOf(outcomes: readonly Outcome[]): Row[] {
  const explained = outcomes.filter((outcome): outcome is Explained => 'why' in outcome);
  return ORDER.flatMap((state) => {
    const inState = explained.filter((outcome) => outcome.state === state);
    inState.sort((a, b) => (a.name < b.name ? -1 : 1));
    if (state !== 'skipped') return inState;
    return [...groupBy(inState, ({ why }) => why).values()].flatMap((same) => {
      const [first] = same;
      if (first === undefined || same.length <= MAX_NAMED) return same;
      return [{ ...first, name: `${first.name} and ${same.length - 1} more` }];
    });
  });
}

/**
 * Makes a table of the files that were not imported, with the reasons.
 * @param width the columns of the terminal; null if the output is not a terminal, and then nothing is cut off
 * @returns the lines of the table; none if it has no rows
 */
export function outcomeTable(outcomes: readonly Outcome[], width: number | null): string[] {
  const rows = rowsOf(outcomes);
  if (rows.length === 0) return [];
  const widest = Math.max(...rows.map(({ name }) => columns(fit(name, Infinity))), 4);
  const left = width === null ? Infinity : Math.max(width - STATE_COLUMNS - GAP, 8);
  const nameColumns = Math.min(widest, Math.floor(left / 2));
  const whyColumns = left - nameColumns;
  const indent = ' '.repeat(STATE_COLUMNS + nameColumns + GAP);
  return [{ state: 'what', name: 'file', why: 'why' }, ...rows].flatMap(({ state, name, why }) => {
    const [first = '', ...more] = wrap(why, whyColumns, MAX_REASON_LINES);
    return [
      cell(state, STATE_COLUMNS) + cell(name, nameColumns) + ' '.repeat(GAP) + first,
      ...more.map((line) => indent + line),
    ];
  });
}

/** Up to this many files of a list are named. If there are more, only their number is given. */
const MAX_LISTED = 20;

function listed(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > MAX_LISTED ? [`  and ${lines.length - MAX_LISTED} more`] : [];
  return [title, ...lines.slice(0, MAX_LISTED), ...more];
}

/** Lists the imported files whose text is the same, or nearly the same, as that of another source. */
export function similarLines(outcomes: readonly Outcome[]): string[] {
  const imported = outcomes.filter((outcome) => outcome.state === 'imported');
  const nameOf = ({ title, sourceId }: Pick<SimilarSource, 'title' | 'sourceId'>) =>
    `${oneLine(title)} (${sourceId})`;
  const same = imported.flatMap(({ name, sameAs }) =>
    sameAs === undefined ? [] : [`  ${oneLine(name)}: same as ${nameOf(sameAs)}`],
  );
  const similar = imported.flatMap(({ name, similarTo }) => {
    if (similarTo === undefined) return [];
    const share = `${Math.round(similarTo.similarity * 100)} %`;
    return [`  ${oneLine(name)}: ${share} the same as ${nameOf(similarTo)}`];
  });
  return [
    ...listed('Imported, but with the text of other sources:', same),
    ...listed('Imported, but nearly the same as other sources:', similar),
  ];
}

/** Lists the imported files of which something could not be read, and what. */
export function unreadLines(outcomes: readonly Outcome[]): string[] {
  const lines = outcomes.flatMap((outcome) =>
    outcome.state === 'imported' && outcome.unread !== undefined
      ? [`  ${oneLine(outcome.name)}: ${oneLine(unreadWords(outcome.unread))}`]
      : [],
  );
  return listed('Imported, but not read in full:', lines);
}

/** Lists the imported files that are in another encoding than UTF-8, and which was detected. */
export function encodingLines(outcomes: readonly Outcome[]): string[] {
  const lines = outcomes.flatMap((outcome) =>
    outcome.state === 'imported' && outcome.encoding !== undefined
      ? [`  ${oneLine(outcome.name)}: ${oneLine(outcome.encoding)}`]
      : [],
  );
  return listed('Imported, not as UTF-8 but in the encoding that was detected:', lines);
}

const STATE_LABELS = {
  imported: 'imported',
  new: 'to be sent',
  there: 'already imported',
  waiting: 'sent but not read yet',
  failed: 'failed',
  'not sent': 'not sent',
  skipped: 'skipped',
} as const;

const LEFT_OUT = {
  hidden: 'hidden',
  installed: 'node_modules',
  links: 'linked',
  special: 'special',
} as const;

/**
 * Makes one line of figures: the number of files for each result, and what was left out.
 * @param files how many files the folder has; a run that ended early did not reach all of them
 */
export function summary(
  outcomes: readonly Outcome[],
  files: number,
  leftOut: FolderContent['leftOut'],
): string {
  const counts = Object.entries(STATE_LABELS)
    .map(([state, words]) => ({ words, n: outcomes.filter((outcome) => outcome.state === state).length }))
    .filter(({ n }) => n > 0)
    .map(({ words, n }) => `${n} ${words}`);
  const out = (Object.keys(LEFT_OUT) as (keyof typeof LEFT_OUT)[])
    .filter((kind) => leftOut[kind] > 0)
    .map((kind) => `${leftOut[kind]} ${LEFT_OUT[kind]}`);
  if (outcomes.length < files) counts.push(`${files - outcomes.length} not reached`);
  return [
    `${counted(files, 'file')}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}.`,
    ...(out.length === 0 ? [] : [`Left out: ${out.join(', ')}.`]),
    ...credentialLine(outcomes),
  ].join(' ');
}

/** Names the imported files in which the service found credentials. */
function credentialLine(outcomes: readonly Outcome[]): string[] {
  const names = outcomes.filter((outcome) => 'credentials' in outcome).map(({ name }) => oneLine(name));
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return [`Credentials were found in ${names.slice(0, MAX_NAMED).join(', ')}${more}.`];
}
