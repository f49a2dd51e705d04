import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { readConfig } from '../../shared/config.ts';
import { traceExporter } from '../../shared/tracing/start-tracing.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { API_TOKEN, endProcesses, logLines, startCommand } from '../support/needs/process.ts';
import { openCollector, type ReceivedSpan } from '../support/otlp.ts';
import { until } from '../support/process-table.ts';
import { ROOT } from '../support/root.ts';
import { askTraced, startTraced, traceparent } from '../support/traced-service.ts';

after(endProcesses);

/** Words of people, in every place where a caller can write one. None can be in a span. */
const WORDS = ['Quokkaheim', 'Zanzibarwort', 'Plumbusfrage', 'Nirgendort', 'Memorandilo', 'Etikettchen'];
const COLLECTOR_SECRET = 'collector-secret-4711';

/** Ids of traces that callers began. */
const [OF_IMPORT, OF_SEARCH, OF_AGENT, OF_REQUEST, UNSAMPLED] = ['1', '2', '3', '4', '5'].map((digit) =>
  digit.repeat(32),
) as [string, string, string, string, string];
/** The names of the spans from one span up to the first of its trace in this service. */
function pathTo(spans: readonly ReceivedSpan[], traceId: string, name: string): string[] {
  const ofTrace = spans.filter((span) => span.traceId === traceId);
  let span = ofTrace.find((each) => each.name === name);
  const path: string[] = [];
  for (; span !== undefined; span = ofTrace.find(({ spanId }) => spanId === span?.parentId))
    path.push(span.name);
  return path;
}

describe('traces of a service', () => {
  test('run from a request through the queue to the model, without a word of content', async (t) => {
    const collector = await openCollector();
    t.after(() => collector.close());
    const { service, url, drop } = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_SECRET}`,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    t.after(drop);
    const lines = () => logLines(service);
    const isDone = (queue: string, traceId: string) =>
      lines().some(
        (line) => line['msg'] === 'job done' && line['queue'] === queue && line['trace_id'] === traceId,
      );

    const { imports } = await askTraced<{ imports: { id: string }[] }>(url, '/v1/memory/imports', OF_IMPORT, {
      items: [
        { filename: `${WORDS[1]}.txt`, text: `The gate of ${WORDS[0]} opens at nine.`, tags: [WORDS[5]] },
      ],
    });
    // Lines of the log name the trace of their job, in the worker too.
    const jobOf = (queue: string) =>
      lines().find((line) => line['msg'] === 'job done' && line['queue'] === queue);
    await until(t.signal, () =>
      ['import.process', 'embed.chunks'].every((queue) => jobOf(queue) !== undefined),
    );
    assert.equal(jobOf('import.process')?.['trace_id'], OF_IMPORT);
    assert.equal(jobOf('embed.chunks')?.['trace_id'], OF_IMPORT);
    const query = `When does ${WORDS[2]} open?`;
    await askTraced(url, '/v1/memory/search', OF_SEARCH, { query, scope: {}, embeddingMode: 'server' });
    for (const path of [`/v1/memory/imports/${imports[0]!.id}?word=${WORDS[2]}`, `/nowhere/${WORDS[3]}`]) {
      await (await fetch(`${url}${path}`)).arrayBuffer();
    }
    await askTraced(url, '/v1/mcp', OF_REQUEST, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'remember',
        arguments: { text: `${WORDS[4]} is remembered.` },
        _meta: { traceparent: traceparent(OF_AGENT) },
      },
    });
    await askTraced(
      url,
      '/v1/memory/imports',
      UNSAMPLED,
      { items: [{ filename: 'u.txt', text: 'unsampled' }] },
      '00',
    );
    await until(t.signal, () => isDone('import.process', UNSAMPLED));
    await until(t.signal, () => isDone('embed.chunks', OF_AGENT));
    assert.ok(lines().some((line) => line['msg'] === 'answered' && line['trace_id'] === OF_IMPORT));

    // The last spans are sent when the service stops.
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0);
    const { spans } = collector;
    assert.deepEqual(pathTo(spans, OF_IMPORT, 'embed passage'), [
      'embed passage',
      'process embed.chunks',
      'send embed.chunks',
      'transaction',
      'process import.process',
      'send import.process',
      'transaction',
      'POST /v1/memory/imports',
    ]);
    assert.deepEqual(pathTo(spans, OF_IMPORT, 'read file'), [
      'read file',
      'process import.process',
      'send import.process',
      'transaction',
      'POST /v1/memory/imports',
    ]);
    assert.deepEqual(pathTo(spans, OF_SEARCH, 'embed query'), [
      'embed query',
      'process embed.query',
      'send embed.query',
      'POST /v1/memory/search',
    ]);
    assert.deepEqual(pathTo(spans, OF_SEARCH, 'select memory.search_hits').slice(1), [
      'transaction',
      'POST /v1/memory/search',
    ]);
    const call = spans.find(({ name }) => name === 'tools/call remember');
    assert.deepEqual([call?.traceId, call?.links], [OF_AGENT, [OF_REQUEST]]);
    assert.ok(spans.some(({ traceId, name }) => traceId === OF_AGENT && name.startsWith('process ')));
    assert.deepEqual(
      spans.filter(({ traceId }) => traceId === UNSAMPLED),
      [],
    );

    const request = spans.find(({ traceId, name }) => traceId === OF_IMPORT && name.startsWith('POST'));
    const job = spans.find(({ traceId, name }) => traceId === OF_IMPORT && name === 'process import.process');
    const isOneProcess = databaseUrl === undefined;
    assert.equal(request?.service, isOneProcess ? 'team-memory' : 'team-memory-api');
    assert.equal(job?.service, isOneProcess ? 'team-memory' : 'team-memory-worker');
    assert.deepEqual(request.attributes, {
      'http.request.method': 'POST',
      'http.route': '/v1/memory/imports',
      'http.response.status_code': 202,
    });
    const sent = Buffer.concat(collector.bodies).toString('latin1').toLowerCase();
    for (const word of [...WORDS, imports[0]!.id, 'owner@localhost', API_TOKEN]) {
      assert.ok(!sent.includes(word.toLowerCase()), `${word} is in a span`);
    }
    assert.deepEqual(
      new Set(collector.requests.map(({ path, authorization }) => `${path} ${authorization}`)),
      new Set([`/v1/traces Bearer ${COLLECTOR_SECRET}`]),
    );
    assert.ok(![...service.stdout, ...service.stderr].join('\n').includes(COLLECTOR_SECRET));
  });
});

/** Runs code in a process of its own, with the modules of the service. Returns what it printed, as JSON. */
async function runCode<T>(code: string, env: Record<string, string>): Promise<T> {
  const imports = `
    import { createLogger } from '${ROOT}/shared/logger.ts';
    import { readConfig } from '${ROOT}/shared/config.ts';
    import { startTracing } from '${ROOT}/shared/tracing/start-tracing.ts';
    import { inSpan } from '${ROOT}/shared/tracing/spans.ts';`;
  const child = startCommand(process.execPath, ['--input-type=module', '-e', imports + code], { env });
  const exit = await child.exited;
  assert.equal(exit, 0, child.stderr.join('\n'));
  return child.stdout.map((line) => JSON.parse(line) as unknown) as T;
}

/** Loads the whole service, starts its traces, and prints which packages of OpenTelemetry were loaded. */
const LIST_PACKAGES = `
  import { registerHooks } from 'node:module';
  const names = new Set();
  registerHooks({ load: (url, context, next) => {
    const name = url.split('/@opentelemetry/')[1]?.split('/')[0];
    if (name !== undefined) names.add(name);
    return next(url, context);
  } });
  await import('${ROOT}/api/server.ts');
  await import('${ROOT}/worker/worker.ts');
  await startTracing(readConfig(process.env), 'all', createLogger('silent', 'test'));
  process.stdout.write(JSON.stringify([...names].sort()) + '\\n', () => process.exit(0));`;

describe('the SDK of OpenTelemetry', () => {
  test('is not loaded without its variables, nor if it is disabled', async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const [unset, set] = await Promise.all(
      [{}, endpoint].map((env) => runCode<string[][]>(LIST_PACKAGES, env)),
    );
    assert.deepEqual(unset, [['api']]);
    assert.ok(set![0]!.includes('sdk-trace') && set![0]!.includes('exporter-trace-otlp-proto'));
    const exporterOf = (env: object) => traceExporter(readConfig({ MEMORY_API_TOKEN: API_TOKEN, ...env }));
    assert.equal(exporterOf(endpoint), 'otlp');
    assert.equal(exporterOf({ OTEL_TRACES_EXPORTER: 'otlp' }), 'otlp');
    assert.equal(exporterOf({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }), 'none');
    assert.equal(exporterOf({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), 'none');
  });

  test('writes one line for each span on the console, and warns if a collector does not answer', async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const code = `
      const stop = await startTracing(readConfig(process.env), 'worker', createLogger('warn', 'test'));
      await inSpan('a span', {}, async () => createLogger('warn', 'test').warn('inside'));
      await stop();
      process.exit(0);`;
    const [ofConsole, ofSilent] = await Promise.all([
      runCode<Record<string, unknown>[]>(code, { OTEL_TRACES_EXPORTER: 'console' }),
      runCode<Record<string, unknown>[]>(code, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }),
    ]);
    const span = ofConsole.find((line) => line['span'] === 'a span');
    const line = ofConsole.find(({ msg }) => msg === 'inside');
    assert.ok(span);
    assert.deepEqual([line?.['trace_id'], line?.['span_id']], [span['trace_id'], span['span_id']]);
    assert.equal(ofSilent.at(-1)?.['msg'], 'the last traces were not sent');
  });
});
