import { Spark } from './spark.tsx';

export interface Figure {
  name: string;
  now: number;
  about?: string;
  /** What its line shows, for those who do not see it. */
  label: string;
  values: readonly number[];
}

/** Figures side by side, each with a line of its values over time. */
export const Figures = ({ figures }: { figures: readonly Figure[] }) => (
  <dl className="mb-8 grid grid-cols-2 gap-3 lg:grid-cols-4">
    {figures.map(({ name, now, about, label, values }) => (
      <div key={name} className="rounded-lg border border-line bg-panel px-3 py-2.5">
        <dt className="text-sm text-soft">{name}</dt>
        <dd>
          <span className="text-xl font-semibold tabular-nums">{now.toLocaleString('en')}</span>
          <span className="ml-2 text-sm text-faint">{about}</span>
          <Spark label={label} lines={[values]} />
        </dd>
      </div>
    ))}
  </dl>
);
