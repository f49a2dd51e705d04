import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbedded } from '../../db/embedded.ts';
import { openPostgres } from '../../db/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { type Embedder, loadEmbedder } from '../../worker/embedder/model.ts';
import { buildTestApp } from '../support/app.ts';
import { databaseUrl, prepareDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/own-database.ts';
import {
  askQuestions,
  type Embed,
  ingestSet,
  KEYWORDS_ALONE,
  type RetrievalResult,
} from '../support/retrieval-run.ts';
import { LANGUAGES, type Language, readRetrievalSet, retrievalFolder } from '../support/retrieval-set.ts';
import { countTermsNow } from '../support/term-counts.ts';
import { TEST_MODEL, writeTestModel } from '../support/test-model.ts';

const HELP = `How well search finds the paragraph that answers a question, and how fast.

Usage: npm run bench:retrieval -- [options] [language ...]

Languages: ${LANGUAGES.join(' ')}; without one: en.
  --all      all of them
  --hybrid   beside keywords alone, keywords and vectors of the small test model, fused

MEMORY_TEST_XQUAD_R names the folder of the questions (XQuAD-R, <language>.json).
MEMORY_TEST_DATABASE_URL names a PostgreSQL server on which a database may be made for
the run; without it the embedded database is measured.`;

interface Wanted {
  languages: Language[];
  hybrid: boolean;
  folder: string;
}

/** What the command line asks for, or null for the help. */
function readCommandLine(): Wanted | null {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      hybrid: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const chosen = positionals.map((name) => {
    const language = LANGUAGES.find((known) => known === name);
    if (language === undefined) throw new Error(`there are no questions in ${JSON.stringify(name)}`);
    return language;
  });
  const folder = retrievalFolder();
  if (folder === null) {
    throw new Error('MEMORY_TEST_XQUAD_R: expected the folder of the questions (see --help)');
  }
  const languages = values.all ? [...LANGUAGES] : chosen.length > 0 ? chosen : (['en'] as const);
  return { languages: [...languages], hybrid: values.hybrid, folder };
}

/** A fresh database of the run's own, in memory or on the server that is named; gone when closed. */
async function openFreshDatabase() {
  if (databaseUrl === undefined) return { database: await openEmbedded({ dataDir: null }), url: undefined };
  const own = await createEmptyDatabase(databaseUrl);
  const database = openPostgres(own.url, createLogger('fatal', 'bench'));
  const close = async () => {
    await database.close();
    await own.drop();
  };
  return { database: { ...database, close }, url: own.url };
}

async function loadTestModel(): Promise<Embedder> {
  const modelDir = await mkdtemp(join(tmpdir(), 'team-memory-bench-'));
  try {
    await writeTestModel(modelDir);
    return await loadEmbedder({ name: TEST_MODEL, modelDir, allowDownload: false });
  } finally {
    await rm(modelDir, { recursive: true, force: true });
  }
}

const percent = (share: number) => (share * 100).toFixed(1).padStart(7);

function printResult(language: Language, leg: string, result: RetrievalResult): void {
  const { hitAt1, hitAt8, meanReciprocalRank, milliseconds } = result;
  const at = (share: number) => (milliseconds[Math.floor(milliseconds.length * share)] ?? 0).toFixed(1);
  const cells = [percent(hitAt1), percent(hitAt8), meanReciprocalRank.toFixed(3).padStart(7)];
  const times = [at(0.5).padStart(8), at(0.95).padStart(8)];
  console.log(`${language.padEnd(9)}${leg.padEnd(9)}${[...cells, ...times].join('')}`);
}

async function measure({ languages, hybrid, folder }: Wanted): Promise<void> {
  const { database, url } = await openFreshDatabase();
  try {
    await prepareDatabase(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const service = await buildTestApp(database, url, {
    ...KEYWORDS_ALONE,
    ...(hybrid ? { MEMORY_EMBEDDING_MODEL: TEST_MODEL } : {}),
  });
  const embedder = hybrid ? await loadTestModel() : null;
  const embed: Embed | undefined = embedder
    ? async (text, purpose) => [...(await embedder.embed(text, purpose))]
    : undefined;
  try {
    const name = database.backend === 'pglite' ? 'the embedded database' : 'PostgreSQL';
    console.log(`XQuAD-R on ${name}: 240 paragraphs and 1,190 questions a language, top 8, one at a time\n`);
    console.log('language legs      hit@1  hit@8    MRR  p50 ms  p95 ms');
    for (const language of languages) {
      const set = await readRetrievalSet(folder, language);
      const company = await service.company();
      await ingestSet(service, company, set, embed);
      await countTermsNow(database, company);
      printResult(language, 'keywords', await askQuestions(service, company, set));
      if (embed) printResult(language, 'both', await askQuestions(service, company, set, embed));
    }
  } finally {
    await embedder?.close();
    await service.close();
  }
}

try {
  const wanted = readCommandLine();
  if (wanted === null) console.log(HELP);
  else await measure(wanted);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`bench:retrieval: ${message.replaceAll(/\s*\n\s*/g, ' ')}`);
  process.exitCode = 1;
}
