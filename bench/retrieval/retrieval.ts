import { TEST_MODEL_NAME } from '../../test/support/needs/database.ts';
import { LANGUAGES } from '../../test/support/retrieval-set.ts';
import { loadEmbedder } from '../../worker/embedder/model.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { describeDatabase, places, withDatabase } from '../support/databases.ts';
import { CHUNK_SETS, measureChunks } from './chunks.ts';
import { measureLanguage } from './language.ts';
import { RetrievalReport } from './report.ts';

await runBench(
  {
    name: 'bench:retrieval',
    about: `How well search finds the paragraph that answers a question: by keywords, by vectors and by both, beside a BM25 written
plainly in JavaScript. Fails where a promise is not held. Languages, and sets of passages that are no paragraphs, can be named.`,
    options: {
      questions: [1_000_000, 'at most so many questions of a language, evenly from all'],
      'model-dir': ['', 'folder of models: vectors are made by the code of the service, else by this bench'],
      model: [TEST_MODEL_NAME, 'the model in it'],
    },
    choices: [...LANGUAGES, ...CHUNK_SETS],
    needs: ['texts', 'both'],
  },
  async ({ questions, model: name, 'model-dir': modelDir }, own, chosen) => {
    const folder = textsFolder();
    const embedder = modelDir === '' ? null : await loadEmbedder({ name, modelDir, allowDownload: false });
    own.print(
      embedder === null
        ? 'Vectors are stand-ins that this bench makes: they judge fusion, and say nothing of a model.'
        : `Vectors of ${embedder.name}, by the service's own code.`,
    );
    const report = new RetrievalReport(own.faults);
    await withDatabase(places(true)[0]!, async ({ database }) => {
      own.print(`XQuAD-R on ${await describeDatabase(database)}`);
      for (const language of LANGUAGES.filter((one) => chosen.includes(one)))
        await measureLanguage({ database, folder, embedder, questions }, language, report);
      for (const set of CHUNK_SETS.filter((one) => chosen.includes(one)))
        await measureChunks(database, set, { folder, questions }, report);
    });
    await embedder?.close();
  },
);
