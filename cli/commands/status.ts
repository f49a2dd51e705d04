import { describeSeconds } from '../../shared/formats/times.ts';
import { Status } from '../../shared/schemas/status.ts';
import type { SelectedTeam } from '../../shared/schemas/teams.ts';
import { signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../program/command.ts';
import { counted, countedOf } from '../terminal/output.ts';
import { type Column, fields, table } from '../terminal/table.ts';

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes in words, with decimal units: `1.2 GB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  // What would be rounded to 1000 has the next unit.
  for (; size >= 999.5 && unit < UNITS.length - 1; unit++) size /= 1000;
  if (bytes === 1) return '1 byte';
  const rounded = unit > 0 && size < 10 ? size.toFixed(1) : Math.round(size);
  return `${rounded} ${UNITS[unit]}`;
}

const share = (used: string, limit: string | null) => (limit === null ? used : `${used} of ${limit}`);

/** What a Team stores and can store; null without Full access. */
export function storageText({ usage, quota }: Pick<SelectedTeam, 'usage' | 'quota'>): string | null {
  if (usage === undefined || quota === undefined) return null;
  const bytes = share(sizeText(usage.bytes), quota.bytes === null ? null : sizeText(quota.bytes));
  const chunks =
    quota.chunks === null
      ? counted(usage.chunks, 'passage')
      : countedOf(usage.chunks, quota.chunks, 'passage');
  return `${bytes}, ${chunks}`;
}

const QUEUE_COLUMNS: readonly Column<Status['jobs'][number]>[] = [
  { title: 'Queue', value: ({ queue }) => queue },
  { title: 'Ready', value: ({ ready }) => ready },
  { title: 'Running', value: ({ active }) => active },
  { title: 'Failed', value: ({ failed }) => failed },
  { title: 'Per minute', value: ({ completedPerMinute }) => Math.round(completedPerMinute) },
];

const FAILURE_COLUMNS: readonly Column<Status['imports']['recentFailures'][number]>[] = [
  { title: 'Failed import', value: ({ filename }) => filename, canShrink: true, role: 'name' },
  { title: 'Reason', value: ({ error }) => error?.message ?? null, canShrink: true },
];

/** Counts with their names: `3 active, 1 archived`. */
const counts = (figures: Readonly<Record<string, number>>) =>
  Object.entries(figures)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ');

function healthText({ ok, database, queue, worker }: Status['health']): string {
  if (ok) return 'well';
  const faults = Object.entries({ database, queue, worker }).filter(([, isWell]) => !isWell);
  return `not well: ${faults.map(([name]) => name).join(', ')}`;
}

/** How many passages there are and have a vector. If the service makes them, also the progress and the time left. */
export function passagesText(
  { total, embedded, pending, secondsLeft }: Status['chunks'],
  { serverModeEnabled }: Pick<Status['embedder'], 'serverModeEnabled'>,
): string {
  const text = `${total}, ${embedded} of them with a vector`;
  if (pending === 0 || !serverModeEnabled) return text;
  const percent = `${text} (${Math.floor((embedded / Math.max(total, 1)) * 100)} %)`;
  return secondsLeft === undefined ? percent : `${percent}, about ${describeSeconds(secondsLeft)} left`;
}

function vectorsText({ model, serverModeEnabled, problem }: Status['embedder']): string {
  const maker = serverModeEnabled ? 'made by the service' : 'made by the programs that call it';
  return `${model}, ${maker}${problem === undefined ? '' : `; ${problem}`}`;
}

/** Shown only while passages are indexed again. */
function wordsFields({ outdated }: Status['terms']): [string, string][] {
  if (outdated === 0) return [];
  const waiting = counted(outdated, 'passage');
  return [['Words', `${waiting} to index again; until then, searches find their earlier words`]];
}

function statusLines(status: Status): string[] {
  const { imports, jobs } = status;
  const { recentFailures, ...importCounts } = imports;
  const lines = fields([
    ['Service', healthText(status.health)],
    ['Sources', counts({ active: status.sources.active, archived: status.sources.archived })],
    ['Kinds', counts(status.sources.byKind) || null],
    ['Passages', passagesText(status.chunks, status.embedder)],
    ...wordsFields(status.terms),
    ['Vectors', vectorsText(status.embedder)],
    ['Imports', counts(importCounts)],
    ['Captures', counts(status.captures)],
    ['Memories', counts(status.memories)],
    ['Stored', storageText(status)],
  ]);
  return [
    ...lines,
    ...(recentFailures.length === 0 ? [] : ['', ...table(FAILURE_COLUMNS, recentFailures)]),
    ...(jobs.length === 0 ? [] : ['', ...table(QUEUE_COLUMNS, jobs)]),
  ];
}

export const status: Command<typeof TEAM_OPTIONS> = {
  section: 'team',
  summary: 'show the state of the service, and what a Team contains',
  about: `Shows the state of the service, and the figures of a Team: sources, passages, imports, captures and memories, as far as
you can reach them. With Full access, also the queues,
and what the Team stores and its quota.`,
  options: TEAM_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { service } = await signedInToTeam(values);
    const answer = await service.get('/v1/memory/status', Status);
    return { text: statusLines(answer).join('\n'), data: answer };
  },
};
