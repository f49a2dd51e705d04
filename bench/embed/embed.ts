import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cutText } from '../../test/support/cut-text.ts';
import { percentile, Writer } from '../../test/support/generated-text.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { endProcesses, temporaryFolder } from '../../test/support/needs/process.ts';
import { TEST_MODEL, writeTestModel } from '../../test/support/test-model.ts';
import { LARGE_MODEL, writeLargeModel } from '../../test/worker/model/large-model.ts';
import { Direct } from './direct.ts';
import { MeasuredService } from './service.ts';

const HELP = `How fast the service makes vectors of stored texts, compared with the bare model on the same
texts in the same run; the memory of the model's process; and the time that a query's vector adds.

Usage: npm run bench:embed -- [--large-only | --small-only]

The large model has the shape of the default one and random weights (560 MB, in a temporary
folder). On the embedded database and, where MEMORY_TEST_DATABASE_URL names a server, in a
database of its own on PostgreSQL. Ends with exit code 1 when less is reached than is asked.`;

/** The share of the bare model's speed that the service must reach with the large model. */
const ASKED_RATIO = 0.9;
/** What the median query may wait beyond the model's own time, in milliseconds. */
const ASKED_ADDED_MS = 25;
/** By how much the process may hold more in the last third of the samples than in the middle one. */
const ALLOWED_GROWTH = 0.1;
/** The bare model and the service take turns, so that other load on the machine slows both alike. */
const PORTIONS = 3;
const SAMPLES = 10;
const QUERIES = 100;
const QUERY_WORDS = 7;
const WARM_UP = 32;
/** The runtime's threads look out for more work for a while, and take the processor from others. */
const REST_MS = 30;
const LARGE_TEXTS = 300;
const LARGE_TEXT_TOKENS = 128;
const SMALL_TEXTS = 10_000;

interface Subject {
  title: string;
  model: string;
  write(modelDir: string): Promise<void>;
  texts(writer: Writer, direct: Direct): Promise<string[]>;
  /** Undefined: only told. */
  askedRatio: number | undefined;
}

const large: Subject = {
  title: 'large model',
  model: LARGE_MODEL,
  write: writeLargeModel,
  askedRatio: ASKED_RATIO,
  texts: async (writer, direct) => {
    const paragraphs = Array.from({ length: LARGE_TEXTS + WARM_UP }, () => writer.paragraph());
    const { lengths = [] } = await direct.ask({ tokenize: paragraphs });
    return paragraphs.map((text, index) => {
      return text.slice(0, Math.ceil((text.length * LARGE_TEXT_TOKENS) / (lengths[index] ?? 1))).trim();
    });
  },
};

const small: Subject = {
  title: 'small model',
  model: TEST_MODEL,
  write: writeTestModel,
  askedRatio: undefined,
  texts: async (writer) => {
    const texts: string[] = [];
    while (texts.length < SMALL_TEXTS + WARM_UP) {
      texts.push(...cutText(writer.document(1_000_000)).map((piece) => piece.text));
    }
    return texts.slice(0, SMALL_TEXTS + WARM_UP);
  },
};

const faults: string[] = [];

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Texts with their vectors still to be made, and how many tokens each has. */
interface Load {
  texts: string[];
  lengths: number[];
}

/** Bare model and service over the same texts, in turns; gives the lines to print. */
async function compareSpeed(
  subject: Subject,
  service: MeasuredService,
  direct: Direct,
  load: Load,
): Promise<string[]> {
  const { texts, lengths } = load;
  const spent = { direct: 0, service: 0 };
  const memory: { pid: number; residentMiB: number }[] = [];
  for (let portion = 0; portion < PORTIONS; portion += 1) {
    const [from = 0, to = 0] = [portion, portion + 1].map((edge) =>
      Math.round((texts.length * edge) / PORTIONS),
    );
    spent.direct += (await direct.ask({ run: { from, to } })).ms;
    spent.service += await service.embed(texts.slice(from, to), (stored) => {
      while (from + stored >= ((memory.length + 1) * texts.length) / SAMPLES) {
        memory.push(service.modelProcess());
      }
    });
  }
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const ratio = spent.direct / spent.service;
  if (subject.askedRatio !== undefined && ratio < subject.askedRatio) {
    faults.push(`${subject.title}: the service reaches ${ratio.toFixed(3)} of the bare model's speed`);
  }
  const row = (name: string, ms: number) => {
    const perSecond = [tokens, texts.length].map((count) => ((count * 1000) / ms).toFixed(1).padStart(12));
    return `${name.padEnd(24)}${perSecond.join('')}`;
  };
  return [
    `${''.padEnd(24)}${'tokens/s'.padStart(12)}${'texts/s'.padStart(12)}`,
    row('bare onnxruntime-node', spent.direct),
    row('text to stored vector', spent.service),
    `ratio ${ratio.toFixed(3)}${subject.askedRatio === undefined ? '' : `, asked: ${subject.askedRatio}`}`,
    ...describeMemory(subject, memory),
  ];
}

function describeMemory(
  subject: Subject,
  samples: readonly { pid: number; residentMiB: number }[],
): string[] {
  const sizes = samples.map(({ residentMiB }) => residentMiB);
  const third = Math.floor(sizes.length / 3);
  const median = (values: number[]) => percentile(values, 0.5);
  const growth = median(sizes.slice(-third)) / median(sizes.slice(third, -third)) - 1;
  if (growth > ALLOWED_GROWTH) {
    faults.push(`${subject.title}: its process grew by ${(growth * 100).toFixed(1)} % in the last third`);
  }
  if (new Set(samples.map(({ pid }) => pid)).size > 1) {
    faults.push(`${subject.title}: its process was replaced during the run`);
  }
  return [
    `memory of the model's process after each tenth, MiB: ${sizes.map((size) => size.toFixed(0)).join(' ')}`,
    `median of the last third against the middle: ${growth < 0 ? '' : '+'}${(growth * 100).toFixed(1)} %`,
  ];
}

/** Searches with nothing else to do, each beside the same with a vector that was made before. */
async function compareQueries(
  subject: Subject,
  service: MeasuredService,
  direct: Direct,
  writer: Writer,
): Promise<string[]> {
  const times = { model: [] as number[], given: [] as number[], made: [] as number[], added: [] as number[] };
  for (let round = -WARM_UP; round < QUERIES; round += 1) {
    const query = writer.words(0, QUERY_WORDS).join(' ');
    const { ms: model, vector = [] } = await direct.ask({ query });
    await sleep(REST_MS);
    const given = await service.search(query, { model: subject.model, vector });
    const made = await service.search(query, null);
    await sleep(REST_MS);
    if (round < 0) continue;
    times.model.push(model);
    times.given.push(given);
    times.made.push(made);
    times.added.push(made - given - model);
  }
  const added = percentile(times.added, 0.5);
  if (added >= ASKED_ADDED_MS) {
    faults.push(`${subject.title}: a query's vector takes ${added.toFixed(1)} ms longer than the model`);
  }
  const row = (name: string, values: number[]) => {
    const shares = [0.5, 0.95].map((share) => percentile(values, share).toFixed(1).padStart(12));
    return `${name.padEnd(24)}${shares.join('')}`;
  };
  return [
    `${'queries'.padEnd(24)}${'p50 ms'.padStart(12)}${'p95 ms'.padStart(12)}`,
    row('the model alone', times.model),
    row('search, vector given', times.given),
    row('search, vector made', times.made),
    row('added by the service', times.added),
  ];
}

async function measure(subject: Subject, servers: readonly (string | undefined)[]): Promise<void> {
  const modelDir = await temporaryFolder();
  await subject.write(modelDir);
  const direct = new Direct(modelDir, subject.model);
  try {
    const writer = new Writer(23);
    const all = await subject.texts(writer, direct);
    const [texts, warmUp] = [all.slice(WARM_UP), all.slice(0, WARM_UP)];
    const { lengths = [] } = await direct.ask({ tokenize: texts });
    const mean = lengths.reduce((sum, length) => sum + length, 0) / texts.length;
    for (const server of servers) {
      const own = server === undefined ? null : await createEmptyDatabase(server);
      try {
        const service = await MeasuredService.start(modelDir, subject.model, own?.url);
        await service.embed(warmUp);
        const where = own ? 'PostgreSQL' : 'the embedded database';
        print([`${subject.title} on ${where}: ${texts.length} texts of ${mean.toFixed(0)} tokens`]);
        print(await compareSpeed(subject, service, direct, { texts, lengths }));
        print([...(await compareQueries(subject, service, direct, writer)), '']);
        await service.stop();
      } finally {
        await own?.drop();
      }
    }
  } finally {
    await direct.end();
  }
}

const { values: options } = parseArgs({
  options: {
    'large-only': { type: 'boolean', default: false },
    'small-only': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help) {
  process.stdout.write(`${HELP}\n`);
} else {
  const server = process.env['MEMORY_TEST_DATABASE_URL'] || undefined;
  const subjects = [...(options['small-only'] ? [] : [large]), ...(options['large-only'] ? [] : [small])];
  try {
    for (const subject of subjects)
      await measure(subject, server === undefined ? [undefined] : [undefined, server]);
  } finally {
    await endProcesses();
  }
  if (server === undefined) {
    process.stdout.write('MEMORY_TEST_DATABASE_URL is not set: PostgreSQL was not measured\n');
  }
  for (const fault of faults) process.stderr.write(`not reached: ${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
