import { TrendingUp } from 'lucide-react';
import type { TeamActivity } from '../../../../shared/schemas/activity.ts';
import { useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { LINE_COLOURS, Spark } from '../../ui/figures.tsx';
import { TextLink } from '../../ui/here-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Section } from '../../ui/section.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { figureColumn, Table } from '../../ui/table.tsx';
import { Name } from '../../ui/text.tsx';

const PERIODS = [
  { value: '7', name: '7 d' },
  { value: '30', name: '30 d' },
  { value: '90', name: '90 d' },
  { value: '366', name: '1 y' },
] as const;

type Day = TeamActivity['days'][number];
type Figure = Exclude<keyof Day, 'day'>;

const FIGURES: Readonly<Record<Figure, string>> = {
  searches: 'Searches',
  searchesWithoutHit: 'Without a hit',
  opened: 'Opened',
  ingested: 'Stored',
  imported: 'Imported',
  captured: 'Captured',
  published: 'Published',
  feedback: 'Feedback',
};
const NAMES = Object.keys(FIGURES) as Figure[];

/** The plots, with the figures in each. */
const PLOTS: Readonly<Record<string, readonly Figure[]>> = {
  Searches: ['searches', 'searchesWithoutHit'],
  'Texts that were read': ['opened'],
  Sources: ['ingested', 'imported'],
  Memories: ['captured', 'published', 'feedback'],
};

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const whole = (n: number) => n.toLocaleString('en');
const dayOf = ({ day }: Day) => DAY.format(new Date(day));

/** The page at /activity. */
export default function Activity() {
  const [filters, setFilters] = useFilters('/activity');
  const period = PERIODS.find(({ value }) => value === filters.days)?.value ?? '30';
  const query = useRead('getTeamActivity', [{ days: Number(period) }]);
  const choose = (days: string) => void setFilters({ days: days === '30' ? undefined : days });
  return (
    <Page actions={<Segments<string> label="Period" value={period} options={PERIODS} onChange={choose} />}>
      <Loaded query={query}>
        {({ days, tokens }) =>
          days.some((day) => NAMES.some((figure) => day[figure] > 0)) ? (
            <>
              <div className="mb-8 grid gap-4 lg:grid-cols-2">
                {Object.entries(PLOTS).map(([title, figures]) => (
                  <Plot key={title} title={title} figures={figures} days={days} />
                ))}
              </div>
              <ByToken tokens={tokens} />
              <ByDay days={days} />
            </>
          ) : (
            <Empty icon={TrendingUp} title="Nothing happened in these days">
              <p>Searches, imports and memories are counted here, by day and by agent token.</p>
              <TextLink to="/tokens">Connect an agent</TextLink>
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Figures by day, with their sums. */
function Plot({ title, figures, days }: { title: string; figures: readonly Figure[]; days: readonly Day[] }) {
  const lines = figures.map((figure) => days.map((day) => day[figure]));
  const most = Math.max(...lines.flat());
  const titleOf = (day: Day) =>
    `${dayOf(day)}: ${figures.map((figure) => `${FIGURES[figure]} ${whole(day[figure])}`).join(', ')}`;
  const [first, last] = [days[0], days.at(-1)];
  return (
    <section className="min-w-0 rounded-lg border border-line bg-panel p-4">
      <h2 className="mb-2 font-semibold">{title}</h2>
      <dl className="mb-2 flex flex-wrap gap-x-6 gap-y-1">
        {figures.map((figure, n) => (
          <div key={figure} className="flex items-center gap-1.5">
            <dt className="flex items-center gap-1.5 text-sm text-soft">
              <span aria-hidden className={`h-0.5 w-3 rounded bg-current ${LINE_COLOURS[n]}`} />
              {FIGURES[figure]}
            </dt>
            <dd className="font-semibold tabular-nums">
              {whole(days.reduce((sum, day) => sum + day[figure], 0))}
            </dd>
          </div>
        ))}
      </dl>
      <Spark
        label={`${title} by day, at most ${most}`}
        lines={lines}
        titles={days.map(titleOf)}
        className="h-32"
      />
      <p className="mt-1 flex justify-between text-xs text-faint">
        <span>{first && dayOf(first)}</span>
        <span>at most {whole(most)} a day</span>
        <span>{last && dayOf(last)}</span>
      </p>
    </section>
  );
}

const ByToken = ({ tokens }: Pick<TeamActivity, 'tokens'>) => (
  <Section title="By token">
    {tokens.length === 0 ? (
      <p className="text-soft">No agent token was used in these days.</p>
    ) : (
      <Table<TeamActivity['tokens'][number]>
        label="By token"
        rows={tokens}
        keyOf={({ tokenId }) => tokenId}
        columns={[
          { name: 'Token', cell: ({ name }) => <Name className="font-medium">{name}</Name> },
          figureColumn('Searches', ({ searches }) => searches),
          figureColumn('Changes', ({ writes }) => writes),
          figureColumn('Characters read', ({ charactersReturned }) => charactersReturned),
        ]}
      />
    )}
  </Section>
);

/** The same figures in words, the newest day first. */
const ByDay = ({ days }: Pick<TeamActivity, 'days'>) => (
  <details>
    <summary className="mb-2 w-fit cursor-pointer font-semibold">By day</summary>
    <div className="overflow-x-auto" role="region" aria-label="Figures by day" tabIndex={0}>
      <Table
        label="By day"
        rows={days.toReversed()}
        keyOf={({ day }) => day}
        columns={[
          { name: 'Day (UTC)', cell: dayOf },
          ...NAMES.map((figure) => figureColumn<Day>(FIGURES[figure], (day) => day[figure])),
        ]}
      />
    </div>
  </details>
);
