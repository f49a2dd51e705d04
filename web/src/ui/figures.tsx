interface SparkProps {
  /** What the lines show, for those who do not see them. */
  label: string;
  lines: readonly (readonly number[])[];
  /** What is said of each place below the pointer. */
  titles?: readonly string[];
  className?: string;
}

const [WIDTH, HEIGHT] = [120, 28];
/** The colours of the lines, in their order. */
export const LINE_COLOURS = ['text-brand', 'text-warn', 'text-soft'];

/** Lines of figures over time, on one scale. */
export function Spark({ label, lines, titles = [], className = 'h-7' }: SparkProps) {
  const most = Math.max(1, ...lines.flat());
  const step = WIDTH / Math.max(1, (lines[0]?.length ?? 0) - 1);
  // What does not change is a line in the middle: at the top it would seem to underline the number above it.
  const flat = new Set(lines.flat()).size < 2 && `0,${HEIGHT / 2} ${WIDTH},${HEIGHT / 2}`;
  const pointOf = (value: number, at: number) =>
    `${(at * step).toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 3)).toFixed(1)}`;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`w-full ${className}`}
    >
      {titles.map((title, at) => (
        <rect
          key={title}
          x={(at - 0.5) * step}
          width={step}
          height={HEIGHT}
          className="fill-transparent hover:fill-hover"
        >
          <title>{title}</title>
        </rect>
      ))}
      {lines.map((values, n) => (
        <polyline
          key={LINE_COLOURS[n]}
          points={flat || values.map(pointOf).join(' ')}
          className={`pointer-events-none ${LINE_COLOURS[n]}`}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

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
