import type { Static } from 'typebox';
import type { Health, Status } from '../../shared/schemas/status.ts';
import { type Client, connect } from './client.ts';
import { type DemoOptions, HELP, readCommandLine } from './command-line.ts';
import { type Document, readDocuments } from './documents.ts';
import { reason } from './failure.ts';
import { embedAll, importAll, ingest } from './fill.ts';
import { chooseMode, namedPlace, ownPlace } from './place.ts';
import { type Question, questionsAbout, SAMPLE_QUESTIONS } from './questions.ts';
import { type Report, reportTo } from './report.ts';
import { expand, type QueryMode, search } from './search.ts';
import type { Undo } from './service.ts';

/** Every second plain text is ingested; the other files go the way of imports. */
async function fill(client: Client, documents: readonly Document[], report: Report): Promise<void> {
  const imported: Document[] = [];
  for (const [index, document] of documents.entries()) {
    if (document.plain && index % 2 === 0) await ingest(client, document, report);
    else imported.push(document);
  }
  await importAll(client, imported, report);
}

async function ask(
  client: Client,
  questions: readonly Question[],
  mode: QueryMode,
  report: Report,
): Promise<void> {
  for (const [index, question] of questions.entries()) {
    const answer = await search(client, question.text, mode);
    report.answer(question, answer);
    const [first] = answer.hits;
    if (index === 0 && first !== undefined) report.expanded(first, await expand(client, first.chunk_id));
  }
}

function chooseQuestions(
  { questions, folder }: DemoOptions,
  documents: readonly Document[],
): readonly Question[] {
  if (questions.length > 0) return questions.map((text) => ({ text, shows: null }));
  return folder === null ? SAMPLE_QUESTIONS : questionsAbout(documents);
}

async function run(options: DemoOptions, undo: Undo): Promise<void> {
  const report = reportTo(process.stdout);
  const documents = await readDocuments(options.folder);
  const place = options.url === null ? await ownPlace(options, report, undo) : namedPlace(options.url);
  const client = connect(place.url, place.token, options.team);
  const health = await client.get<Static<typeof Health>>('/v1/health');
  report.fact('service', `${place.url}, backend ${health.backend}`);
  const mode = await chooseMode(health, place, options, report, undo);

  await fill(client, documents, report);
  if (mode?.mode === 'client') await embedAll(client, mode.embedder, report);
  const { sources, chunks } = await client.get<Static<typeof Status>>('/v1/memory/status');
  report.fact(
    'status',
    `${sources.active} sources, ${chunks.total} passages, ${chunks.embedded} with an embedding`,
  );
  if (mode !== null) await ask(client, chooseQuestions(options, documents), mode, report);
  if (options.url !== null) report.fact('', `The documents stay in the Team at ${options.url}.`);
}

/** Undoes what was made, last made first, once. */
function undoer(undo: Undo): () => Promise<void> {
  let undoing: Promise<void> | null = null;
  return () =>
    (undoing ??= (async () => {
      for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
        await step().catch((error: unknown) => console.error(`demo: not cleaned up: ${reason(error)}`));
      }
    })());
}

/** Has an end from outside clean up too, and not leave a service behind. */
function endOnSignal(cleanUp: () => Promise<void>): { ending: boolean } {
  const state = { ending: false };
  const end = (code: number, why: string | null) => {
    if (!state.ending && why !== null) console.error(`demo: ${why}, cleaning up`);
    state.ending = true;
    void cleanUp().then(() => process.exit(code));
  };
  process.on('SIGINT', () => end(130, 'interrupted'));
  process.on('SIGTERM', () => end(143, 'ended'));
  process.on('SIGHUP', () => end(129, null));
  // The program that read the output has ended: `npm run demo | head`.
  process.stdout.on('error', () => end(1, null));
  return state;
}

async function main(): Promise<void> {
  const options = readCommandLine(process.argv.slice(2));
  if (options === null) {
    console.log(HELP);
    return;
  }
  const undo: Undo = [];
  const cleanUp = undoer(undo);
  const state = endOnSignal(cleanUp);
  try {
    await run(options, undo);
  } catch (error) {
    // What runs fails when its service goes: that is not what went wrong.
    if (!state.ending) throw error;
  } finally {
    await cleanUp();
  }
}

try {
  await main();
} catch (error) {
  console.error(`demo: ${reason(error)}`);
  process.exitCode = 1;
}
