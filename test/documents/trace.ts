import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcesses, logLines } from '../support/needs/process.ts';
import { openCollector, type ReceivedSpan } from '../support/otlp.ts';
import { until } from '../support/process-table.ts';
import { ROOT } from '../support/root.ts';
import { askTraced, startTraced } from '../support/traced-service.ts';

/*
 * `npm run docs:trace`: imports a file in a trace, and draws the spans that a collector received as
 * docs/operations/trace.svg. With MEMORY_TEST_DATABASE_URL, the API and the worker are two processes.
 */
const TRACE = 'a'.repeat(32);
const TEXT = Array.from({ length: 3 }, (_, n) => `Gate ${n} opens at nine.`).join('\n\n');
const [WIDTH, ROW, LABELS, TOP] = [1100, 17, 400, 44];
const COLOURS: Record<string, string> = { 'team-memory-worker': '#0a7d55' };

/** The spans in the order of a reader: each with its depth, before those that it contains. */
function inOrder(spans: readonly ReceivedSpan[]): { span: ReceivedSpan; depth: number }[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  const walk = (parent: string | null, depth: number): ReturnType<typeof inOrder> =>
    sorted
      .filter(({ parentId }) => (parent === null ? !ids.has(parentId) : parentId === parent))
      .flatMap((span) => [{ span, depth }, ...walk(span.spanId, depth + 1)]);
  return walk(null, 0);
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function draw(spans: readonly ReceivedSpan[]): string {
  const from = Math.min(...spans.map(({ start }) => start));
  const until = Math.max(...spans.map(({ end }) => end));
  const x = (ms: number) => LABELS + ((ms - from) / (until - from)) * (WIDTH - LABELS - 70);
  const rows = inOrder(spans).map(({ span: { name, service, start, end }, depth }, index) => {
    const y = TOP + index * ROW;
    const colour = COLOURS[service] ?? '#2456b3';
    const bar = `<rect x="${x(start).toFixed(1)}" y="${y - 10}" width="${Math.max(1.5, x(end) - x(start)).toFixed(1)}" height="11" fill="${colour}"/>`;
    const time = `<text x="${(x(end) + 5).toFixed(1)}" y="${y}">${(end - start).toFixed(1)} ms</text>`;
    return `<text x="${8 + depth * 14}" y="${y}">${escaped(name)}</text>${bar}${time}`;
  });
  const services = [...new Set(spans.map(({ service }) => service))];
  const legend = services.map(
    (service, index) =>
      `<rect x="${8 + index * 190}" y="10" width="11" height="11" fill="${COLOURS[service] ?? '#2456b3'}"/><text x="${25 + index * 190}" y="20">${service}</text>`,
  );
  const height = TOP + rows.length * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">`,
    '<title>One trace, from the request of an import to the vectors of its passages</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...legend,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

const collector = await openCollector();
try {
  const { service, url, drop } = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const { signal } = new AbortController();
  await until(signal, () => logLines(service).some(({ msg }) => msg === 'the model is ready'));
  const isDone = (traceId: string) => () =>
    ['embed.chunks', 'keywords.count'].every((queue) =>
      logLines(service).some((line) => line['queue'] === queue && line['trace_id'] === traceId),
    );
  // The first import starts the process that reads files, and prepares statements.
  for (const traceId of ['b'.repeat(32), TRACE]) {
    const items = [{ filename: 'gates.txt', text: `${TEXT} ${traceId}` }];
    await askTraced(url, '/v1/memory/imports', traceId, { items });
    await until(signal, isDone(traceId));
  }
  service.child.kill('SIGTERM');
  await service.exited;
  await drop();
  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  writeFileSync(join(ROOT, 'docs/operations/trace.svg'), draw(spans));
  console.log(`docs/operations/trace.svg: ${spans.length} spans`);
} finally {
  await collector.close();
  await endProcesses();
}
