import { DEFAULT_ACTIVITY_DAYS, MAX_ACTIVITY_DAYS, TeamActivity } from '../../shared/schemas/activity.ts';
import { signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, parseWhole, TEAM_OPTIONS } from '../program/command.ts';
import { type Column, table } from '../terminal/table.ts';

type Day = TeamActivity['days'][number];
type Token = TeamActivity['tokens'][number];

const options = {
  days: {
    type: 'string',
    value: 'n',
    help: `how many days: 1 to ${MAX_ACTIVITY_DAYS}, default ${DEFAULT_ACTIVITY_DAYS}`,
  },
  ...TEAM_OPTIONS,
} as const;

/** The columns of the longest bar. */
const BAR_COLUMNS = 10;

const TOTAL = 'All';

/** The counts of all days together. */
function totalOf(days: readonly Day[]): Day {
  const sum = (count: (day: Day) => number) => days.reduce((all, day) => all + count(day), 0);
  return {
    day: TOTAL,
    searches: sum(({ searches }) => searches),
    searchesWithoutHit: sum(({ searchesWithoutHit }) => searchesWithoutHit),
    opened: sum(({ opened }) => opened),
    ingested: sum(({ ingested }) => ingested),
    imported: sum(({ imported }) => imported),
    captured: sum(({ captured }) => captured),
    published: sum(({ published }) => published),
    feedback: sum(({ feedback }) => feedback),
  };
}

/**
 * The columns of days, without those of what was never done. The bar compares the searches of a day with those of the day
 * that had the most.
 */
function dayColumns(days: readonly Day[]): readonly Column<Day>[] {
  const most = Math.max(0, ...days.map(({ searches }) => searches));
  const total = totalOf(days);
  const uses: readonly Column<Day>[] = [
    { title: 'No hit', value: ({ searchesWithoutHit }) => searchesWithoutHit },
    { title: 'Opened', value: ({ opened }) => opened },
    { title: 'Ingested', value: ({ ingested }) => ingested },
    { title: 'Imported', value: ({ imported }) => imported },
    { title: 'Captured', value: ({ captured }) => captured },
    { title: 'Published', value: ({ published }) => published },
    { title: 'Feedback', value: ({ feedback }) => feedback },
  ];
  const bar = ({ day, searches }: Day) => {
    if (day === TOTAL || most === 0) return '';
    // A day with one search has a bar too.
    return '#'.repeat(Math.ceil((searches / most) * BAR_COLUMNS));
  };
  return [
    { title: 'Day (UTC)', value: ({ day }) => day },
    { title: 'Searches', value: ({ searches }) => searches },
    { title: '', value: bar },
    ...uses.filter(({ value }) => value(total) !== 0),
  ];
}

const TOKEN_COLUMNS: readonly Column<Token>[] = [
  { title: 'Agent token', value: ({ name }) => name, canShrink: true, role: 'name' },
  { title: 'Searches', value: ({ searches }) => searches },
  { title: 'Writes', value: ({ writes }) => writes },
  { title: 'Characters read', value: ({ charactersReturned }) => charactersReturned },
  { title: 'Id', value: ({ tokenId }) => tokenId, role: 'id' },
];

export const activity: Command<typeof options> = {
  section: 'team',
  summary: 'show how a Team was used, by day and by agent token',
  about: `Shows how a Team was used on each of the last days, the last one today, and which agent tokens used it. The bars
compare the searches of the days. What was never done has no column. Requires Full access.`,
  options,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const days = parseWhole('days', values.days, 1, MAX_ACTIVITY_DAYS) ?? DEFAULT_ACTIVITY_DAYS;
    const { service } = await signedInToTeam(values);
    const data = await service.get(`/v1/team/activity?days=${days}`, TeamActivity);
    const lines = [
      ...table(dayColumns(data.days), [...data.days, totalOf(data.days)]),
      ...(data.tokens.length === 0 ? [] : ['', ...table(TOKEN_COLUMNS, data.tokens)]),
    ];
    return { text: lines.join('\n'), data };
  },
};
