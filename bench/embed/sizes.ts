import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../test/support/needs/process.ts';
import { writeLargeModel } from '../../test/worker/model/large-model.ts';
import { runBench } from '../support/bench.ts';
import { type Child, startChild } from '../support/child.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns } from '../support/rounds.ts';
import { REST_MS } from './bare-model.ts';
import type { SizesAnswer, SizesOrder } from './sizes-process.ts';

/** Small, because looking a token up takes no time, and the memory is measured elsewhere. */
const VOCABULARY = 30_000;
const WIDTH = 1024;
const BATCHES = [1, 4, 16];
/** Of 16 texts of different lengths, as turns of conversations and passages have them. */
const MIXED = [8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 200, 240, 280];
/** The least tokens of one measurement. */
const LEAST_TOKENS = 256;

const ask = (model: Child, order: SizesOrder) => model.ask<SizesAnswer>(order);

/** Some texts of one length, in parts of one size. */
function textsOf(tokens: number, batch: number): SizesOrder {
  const count = Math.max(batch, Math.ceil(LEAST_TOKENS / tokens / batch) * batch);
  return Array.from({ length: count / batch }, () => Array.from({ length: batch }, () => tokens));
}

/** How alike two vectors are: 1 for the same direction. */
function cosine(left: Float32Array, right: Float32Array): number {
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

interface Rate {
  perSecond: number;
  cpuMs: number;
}

/** Texts a second, and CPU time of a text, of each case, measured in turns. */
async function rates<Case>(
  cases: readonly Case[],
  rounds: number,
  measure: (one: Case) => Promise<SizesAnswer[]>,
): Promise<Rate[]> {
  const figures = await inTurns(cases, { rounds }, async (one) => {
    await sleep(REST_MS);
    const answers = await measure(one);
    const texts = answers.reduce((sum, { vectors }) => sum + vectors.length, 0);
    const cpuMs = answers.reduce((sum, answer) => sum + answer.cpuMs, 0);
    return { perSecond: (texts * 1000) / Math.max(...answers.map(({ ms }) => ms)), cpuMs: cpuMs / texts };
  });
  const middle = (each: readonly Rate[], figure: keyof Rate) => median(each.map((rate) => rate[figure]));
  return figures.map((each) => ({ perSecond: middle(each, 'perSecond'), cpuMs: middle(each, 'cpuMs') }));
}

/** What a batch makes faster, and how far it changes the vectors. */
async function measureBatches(model: Child, lengths: readonly number[], rounds: number, report: Report) {
  report.row('texts a second, texts in a run:', [...BATCHES, 'CPU ms, 1']);
  for (const tokens of lengths) {
    const cases = BATCHES.map((batch) => textsOf(tokens, batch));
    const found = await rates(cases, rounds, async (order) => [await ask(model, order)]);
    const perSecond = found.map((each) => each.perSecond);
    report.row(`${tokens} tokens`, [...perSecond, found[0]!.cpuMs], '', 1);
  }
  const orders: SizesOrder[] = [MIXED.map((tokens) => [tokens]), [MIXED]];
  const mixed = await rates(orders, rounds, async (order) => [await ask(model, order)]);
  report.row(
    '16 of 8 to 280 tokens: 1, 16',
    mixed.map(({ perSecond }) => perSecond),
    '',
    1,
  );
  const [alone, together] = [await ask(model, orders[0]!), await ask(model, orders[1]!)];
  const alike = alone.vectors.map((vector, at) => cosine(vector, together.vectors[at]!));
  report.row('least cosine, alone and together', [Math.min(...alike)], '', 5);
}

/** What more or fewer threads do. */
async function measureThreads(
  start: (threads: number) => Child,
  lengths: readonly number[],
  rounds: number,
  report: Report,
) {
  const cores = availableParallelism();
  const threads = [...new Set([1, cores, 2 * cores])];
  const models = threads.map(start);
  report.row('texts a second, threads:', threads);
  for (const tokens of lengths) {
    const order = textsOf(tokens, 1);
    const found = await rates(models, rounds, async (model) => [await ask(model, order)]);
    report.row(
      `${tokens} tokens`,
      found.map(({ perSecond }) => perSecond),
      '',
      1,
    );
  }
  for (const model of models) await model.end();
  const pair = [start(1), start(1)];
  for (const tokens of lengths) {
    const each = textsOf(tokens, 1);
    const [found] = await rates([each], rounds, () => Promise.all(pair.map((model) => ask(model, each))));
    report.row(`${tokens} tokens, two processes`, [found!.perSecond], '', 1);
  }
  for (const model of pair) await model.end();
}

await runBench(
  {
    name: 'bench:embed-sizes',
    about: `How many texts a second models of several sizes make vectors of, by the length of the texts, the texts in one run of the
model and the threads; without the service. The models have the shape of XLM-RoBERTa-large in int8 (width 1,024, feed-forward 4,096,
16 heads) with fewer or as many layers, and random weights.`,
    options: {
      layers: [[6, 12, 24], 'layers of the models'],
      tokens: [[16, 64, 128, 256], 'tokens of a text'],
      rounds: [5, 'measurements of each case, in turns'],
    },
    choices: ['batches', 'threads'],
    needs: ['linux'],
  },
  async ({ layers, tokens, rounds }, report, chosen) => {
    const modelDir = await temporaryFolder();
    for (const count of layers) {
      const name = `memory/layers-${count}`;
      await writeLargeModel(modelDir, { name, layers: count, vocabulary: VOCABULARY });
      const start = (threads: number) =>
        startChild('bench/embed/sizes-process.ts', {}, { args: [modelDir, name, String(threads)] });
      report.print(`\n${count} layers, width ${WIDTH}`);
      if (chosen.includes('batches')) {
        const model = start(availableParallelism());
        await measureBatches(model, tokens, rounds, report);
        await model.end();
      }
      if (chosen.includes('threads')) await measureThreads(start, tokens, rounds, report);
    }
  },
);
