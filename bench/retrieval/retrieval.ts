import { LANGUAGES } from '../../test/support/retrieval-set.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { describeDatabase, places, withDatabase } from '../support/databases.ts';
import { CHUNK_SETS, measureChunks } from './chunks.ts';
import { measureLanguage } from './language.ts';
import { openModel } from './model.ts';
import { RetrievalReport } from './report.ts';

await runBench(
  {
    name: 'bench:retrieval',
    about: `How well search finds the paragraph that answers a question: by keywords, by vectors and by both, beside a BM25 written
plainly in JavaScript. Fails where a promise is not held. Languages, and sets of passages that are no paragraphs, can be named.
MEMORY_EMBEDDING_POOLING and the other settings of a model apply to the one of --model-dir.`,
    options: {
      questions: [1_000_000, 'at most so many questions of a language, evenly from all'],
      'model-dir': ['', 'folder of models, for another than the English one of the development packages'],
      model: ['Xenova/bge-m3', 'the model in it'],
    },
    choices: [...LANGUAGES, ...CHUNK_SETS],
    needs: ['texts', 'both'],
  },
  async ({ questions, model: name, 'model-dir': modelDir }, own, chosen) => {
    const folder = textsFolder();
    const model = await openModel(name, modelDir);
    const isOwnModel = modelDir !== '';
    own.print(`Vectors of ${model.name}, weight ${model.weight}, by the service's own code.`);
    if (!isOwnModel)
      own.print('Stand-ins are vectors that this bench makes: they judge fusion, and no model.');
    const report = new RetrievalReport(own.faults);
    await withDatabase(places(true)[0]!, async ({ database }) => {
      own.print(`XQuAD-R on ${await describeDatabase(database)}`);
      const measured = { folder, model, isOwnModel, questions };
      for (const language of LANGUAGES.filter((one) => chosen.includes(one)))
        await measureLanguage({ database, ...measured }, language, report);
      for (const set of CHUNK_SETS.filter((one) => chosen.includes(one)))
        await measureChunks(database, set, measured, report);
    });
  },
);
