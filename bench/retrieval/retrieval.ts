import { parseArgs } from 'node:util';
import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { openOwnDatabase } from '../../test/support/needs/own-database.ts';
import { LANGUAGES, type Language, retrievalFolder } from '../../test/support/retrieval-set.ts';
import { loadEmbedder } from '../../worker/embedder/model.ts';
import { CHUNK_SETS, type ChunkSetName, measureChunks } from './chunks.ts';
import { measureLanguage } from './language.ts';
import { Report } from './report.ts';

const HELP = `How well search finds the paragraph that answers a question: by keywords, by vectors and by
both, beside a BM25 written plainly in JavaScript. Fails where a promise is not held.

Usage: npm run bench:retrieval -- [options] [language or set ...]

Languages: ${LANGUAGES.join(' ')}. Passages that are no paragraphs: ${CHUNK_SETS.join(' ')}.
Without a name: all of them.
  --questions <n>       at most so many questions of a language, evenly from all; all by default
  --model-dir <folder>  folder of models: vectors are made by the service's own code.
                        Without it the bench makes stand-ins, and says so.
  --model <name>        the model in it; ${TEST_MODEL_NAME} by default

MEMORY_TEST_XQUAD_R names the folder of the questions (XQuAD-R, <language>.json).
MEMORY_TEST_DATABASE_URL names a PostgreSQL server on which a database may be made for
the run; without it the embedded database is measured.`;

interface Wanted {
  languages: readonly Language[];
  chunkSets: readonly ChunkSetName[];
  folder: string;
  questions: number;
  model: { name: string; modelDir: string } | null;
}

/** What the command line asks for, or null for the help. */
function readCommandLine(): Wanted | null {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      questions: { type: 'string' },
      model: { type: 'string', default: TEST_MODEL_NAME },
      'model-dir': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  for (const name of positionals) {
    if (![...LANGUAGES, ...CHUNK_SETS].some((known) => known === name)) {
      throw new Error(`there are no questions in ${JSON.stringify(name)}`);
    }
  }
  const isChosen = (name: string) => positionals.length === 0 || positionals.includes(name);
  const folder = retrievalFolder();
  if (folder === null) {
    throw new Error('MEMORY_TEST_XQUAD_R: expected the folder of the questions (see --help)');
  }
  const questions = Number(values.questions ?? Number.POSITIVE_INFINITY);
  if (!(questions >= 1)) throw new Error('--questions: expected a number from 1');
  const modelDir = values['model-dir'];
  return {
    languages: LANGUAGES.filter(isChosen),
    chunkSets: CHUNK_SETS.filter(isChosen),
    folder,
    questions,
    model: modelDir === undefined ? null : { name: values.model, modelDir },
  };
}

async function measure({ languages, chunkSets, folder, questions, model }: Wanted): Promise<void> {
  const embedder = model === null ? null : await loadEmbedder({ ...model, allowDownload: false });
  const database = await openOwnDatabase();
  const report = new Report();
  try {
    report.head(database);
    report.print(
      embedder === null
        ? 'Vectors are stand-ins that this bench makes: they judge fusion, and say nothing of a model.'
        : `Vectors of ${embedder.name}, by the service's own code.`,
    );
    for (const language of languages)
      await measureLanguage({ database, folder, embedder, questions }, language, report);
    for (const name of chunkSets) await measureChunks(database, name, { folder, questions }, report);
  } finally {
    await database.close();
    await embedder?.close();
  }
  report.print('');
  for (const fault of report.faults) report.print(`NOT HELD: ${fault}`);
  if (report.faults.length > 0) process.exitCode = 1;
  else report.print('Every promise was held.');
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
