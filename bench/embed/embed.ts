import { setTimeout as sleep } from 'node:timers/promises';
import { Writer } from '../../test/support/generated-text.ts';
import { temporaryFolder } from '../../test/support/needs/process.ts';
import { TEST_MODEL, writeTestModel } from '../../test/support/test-model.ts';
import { LARGE_MODEL, writeLargeModel } from '../../test/worker/model/large-model.ts';
import { runBench } from '../support/bench.ts';
import { type Child, startChild } from '../support/child.ts';
import { places, withServerDatabase } from '../support/databases.ts';
import { median, type Report, spread } from '../support/report.ts';
import { REST_MS } from './bare-model.ts';
import type { DirectAnswer, DirectOrder } from './direct-process.ts';
import { type MeasuredService, startService } from './service.ts';

/** The share of the bare model's speed that the service must reach with the large model. */
const ASKED_RATIO = 0.9;
/** What the median query may wait beyond the model's own time, in milliseconds. */
const ASKED_ADDED_MS = 25;
/** By how much the process may hold more in the last third of the samples than in the middle one. */
const ALLOWED_GROWTH = 1.1;
/** The bare model and the service take turns, so that other load on the machine slows both alike. */
const PORTIONS = 3;
const SAMPLES = 10;
const QUERY_WORDS = 7;
const WARM_UP = 32;
const TEXT_TOKENS = 128;

const askDirect = (direct: Child, order: DirectOrder) => direct.ask<DirectAnswer>(order);

/** Paragraphs, each cut to about as many tokens. */
async function drawTexts(writer: Writer, direct: Child, count: number): Promise<string[]> {
  const paragraphs = Array.from({ length: count }, () => writer.paragraph());
  const { lengths = [] } = await askDirect(direct, { tokenize: paragraphs });
  return paragraphs.map((text, index) =>
    text.slice(0, Math.ceil((text.length * TEXT_TOKENS) / (lengths[index] ?? 1))).trim(),
  );
}

/** Bare model and service over the same texts, in turns. */
async function compareSpeed(
  service: MeasuredService,
  direct: Child,
  texts: readonly string[],
  tokens: number,
  report: Report,
): Promise<void> {
  const spent = { direct: 0, service: 0 };
  const memory: { pid: number; rss: number }[] = [];
  for (let portion = 0; portion < PORTIONS; portion += 1) {
    const [from = 0, to = 0] = [portion, portion + 1].map((edge) =>
      Math.round((texts.length * edge) / PORTIONS),
    );
    spent.direct += (await askDirect(direct, { run: { from, to } })).ms;
    spent.service += await service.embed(texts.slice(from, to), (stored) => {
      while (from + stored >= ((memory.length + 1) * texts.length) / SAMPLES)
        memory.push(service.modelProcess());
    });
  }
  const rates = (ms: number) => [tokens, texts.length].map((count) => (count * 1000) / ms);
  const ratio = spent.direct / spent.service;
  report.row('', ['tokens/s', 'texts/s']);
  report.row('bare onnxruntime-node', rates(spent.direct), '', 1);
  const held = report.holdAtLeast("of the bare model's speed", ratio, ASKED_RATIO);
  report.row('text to stored vector', rates(spent.service), `${ratio.toFixed(3)} of it, ${held}`, 1);

  const sizes = memory.map(({ rss }) => rss);
  const third = Math.floor(sizes.length / 3);
  const growth = median(sizes.slice(-third)) / median(sizes.slice(third, -third));
  const shown = sizes.map((size) => size.toFixed(0)).join(' ');
  report.print(`memory of the model's process after each tenth, MiB: ${shown}`);
  const heldGrowth = report.hold('last third of its memory, of the middle', growth, ALLOWED_GROWTH);
  report.row('last third, of the middle', [growth], heldGrowth, 3);
  report.hold('processes that ran the model', new Set(memory.map(({ pid }) => pid)).size, 2);
}

/** Searches with nothing else to do, each beside the same with a vector that was made before. */
async function compareQueries(
  { service, direct, model }: { service: MeasuredService; direct: Child; model: string },
  writer: Writer,
  queries: number,
  report: Report,
): Promise<void> {
  const times: Record<string, number[]> = {};
  for (let round = -WARM_UP; round < queries; round += 1) {
    const query = writer.words(0, QUERY_WORDS).join(' ');
    const { ms: alone, vector = [] } = await askDirect(direct, { query });
    await sleep(REST_MS);
    const given = await service.search(query, { model, vector });
    const made = await service.search(query, null);
    await sleep(REST_MS);
    if (round < 0) continue;
    const took = {
      'the model alone': alone,
      'search, vector given': given,
      'search, vector made': made,
      'added by the service': made - given - alone,
    };
    for (const [name, ms] of Object.entries(took)) (times[name] ??= []).push(ms);
  }
  report.row('queries', ['p50 ms', 'p95 ms']);
  for (const [name, all] of Object.entries(times)) {
    const isAdded = name === 'added by the service';
    const held = report.hold(name, median(all), isAdded ? ASKED_ADDED_MS : null);
    report.row(name, spread(all), held, 1);
  }
}

await runBench(
  {
    name: 'bench:embed',
    about: `How fast the service makes vectors of stored texts, compared with the bare model on the same texts in the same run; the
memory of the model's process; and the time that a query's vector adds. The model has the shape of the default one and random
weights (560 MB, in a temporary folder).`,
    options: {
      texts: [300, 'texts of 128 tokens'],
      queries: [100, 'searches'],
      small: [false, 'a small model, to see that the command works'],
    },
    needs: ['both', 'linux'],
  },
  async ({ texts: count, queries, small }, report) => {
    const [model, write] = small ? [TEST_MODEL, writeTestModel] : [LARGE_MODEL, writeLargeModel];
    const modelDir = await temporaryFolder();
    await write(modelDir);
    const direct = startChild('bench/embed/direct-process.ts', {}, { args: [modelDir, model] });
    try {
      const writer = new Writer(23);
      const all = await drawTexts(writer, direct, count + WARM_UP);
      const texts = all.slice(WARM_UP);
      const { lengths = [] } = await askDirect(direct, { tokenize: texts });
      const tokens = lengths.reduce((sum, length) => sum + length, 0);
      const measure = async (where: string, url?: string) => {
        const service = await startService(modelDir, model, url);
        await service.embed(all.slice(0, WARM_UP));
        report.print(`\n${where}: ${texts.length} texts of ${(tokens / texts.length).toFixed(0)} tokens`);
        await compareSpeed(service, direct, texts, tokens, report);
        await compareQueries({ service, direct, model }, writer, queries, report);
        await service.stop();
      };
      for (const place of places()) {
        if (place === 'embedded') await measure('the embedded database');
        else await withServerDatabase((url) => measure('PostgreSQL', url));
      }
    } finally {
      await direct.end();
    }
  },
);
