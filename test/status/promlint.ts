/** A metric of Prometheus's text format. */
interface Metric {
  name: string;
  help: string;
  type: string;
  labels: Set<string>;
}

const ABBREVIATED = ['s', 'ms', 'us', 'ns', 'sec', 'b', 'kb', 'mb', 'gb', 'tb', 'pb', 'm', 'h', 'd'];
const NOT_BASE = ['milliseconds', 'microseconds', 'nanoseconds', 'minutes', 'hours', 'days', 'weeks', 'bits'];
const NOT_BASE_BYTES = ['kilobytes', 'kibibytes', 'megabytes', 'mebibytes', 'gigabytes', 'gibibytes'];
const TYPES = ['counter', 'gauge', 'histogram', 'summary'];

/**
 * What `promtool check metrics` complains about, each as a line. The rules are those of promlint in
 * prometheus/client_golang 1.23, `prometheus/testutil/promlint/validations`.
 */
export function lintMetrics(text: string): string[] {
  const metrics = readMetrics(text);
  return metrics.flatMap((metric) => faultsOf(metric).map((fault) => `${metric.name}: ${fault}`));
}

function faultsOf({ name, help, type, labels }: Metric): string[] {
  const words = name.split('_');
  const hasSuffix = (...suffixes: string[]) => suffixes.some((suffix) => name.endsWith(`_${suffix}`));
  const faults: [boolean, string][] = [
    [help.trim() === '', 'no help text'],
    [type === 'untyped', 'no type'],
    [type === 'counter' && !hasSuffix('total'), 'a counter has the suffix _total'],
    [type !== 'counter' && hasSuffix('total'), 'only a counter has the suffix _total'],
    [type !== 'histogram' && hasSuffix('bucket'), 'only a histogram has the suffix _bucket'],
    [type !== 'histogram' && labels.has('le'), 'only a histogram has the label le'],
    [!['histogram', 'summary'].includes(type) && hasSuffix('count', 'sum'), 'the suffix is reserved'],
    [type !== 'summary' && labels.has('quantile'), 'only a summary has the label quantile'],
    [words.some((word) => TYPES.includes(word)), 'the name has a type'],
    [name.includes(':'), 'a colon is for recording rules'],
    [[name, ...labels].some((each) => /[a-z][A-Z]/.test(each)), 'names are in snake_case'],
    [words.some((word) => ABBREVIATED.includes(word)), 'the unit is abbreviated'],
    [words.some((word) => [...NOT_BASE, ...NOT_BASE_BYTES].includes(word)), 'the unit is not the base unit'],
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

function readMetrics(text: string): Metric[] {
  const metrics = new Map<string, Metric>();
  const named = (name: string): Metric => {
    const metric = metrics.get(name) ?? { name, help: '', type: 'untyped', labels: new Set() };
    metrics.set(name, metric);
    return metric;
  };
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (kind === 'HELP') named(about).help = rest;
    else if (kind === 'TYPE') named(about).type = rest;
    else {
      const [, sample = ''] = /^([^\s{]+)/.exec(line) ?? [];
      const family = sample.replace(/_(bucket|sum|count)$/, '');
      const { labels } = named(metrics.has(sample) ? sample : family);
      for (const [, label = ''] of line.matchAll(/[{,]([A-Za-z_]\w*)="/g)) labels.add(label);
      // Each bucket of a histogram has it.
      if (metrics.get(family)?.type === 'histogram' && sample.endsWith('_bucket')) labels.delete('le');
    }
  }
  return [...metrics.values()];
}
