import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { embeddedText } from '../../shared/text/prepared-chunks.ts';
import { loadEmbedder } from '../../worker/embedder/model.ts';
import { openTestApp } from '../support/app.ts';
import { base64Of } from '../support/base64-vector.ts';
import { ENGLISH_MODEL, writeEnglishModel } from '../support/english-model.ts';
import { endProcesses, temporaryFolder } from '../support/needs/process.ts';

const modelDir = await temporaryFolder();
await writeEnglishModel(modelDir);
const embedder = await loadEmbedder({ name: ENGLISH_MODEL, modelDir, allowDownload: false });
after(async () => {
  await endProcesses();
});

const CLAIM = { embeddingModel: ENGLISH_MODEL, embeddingDim: EMBEDDING_DIM };
const vectorOf = async (text: string, purpose: 'query' | 'passage') =>
  base64Of([...(await embedder.embed(text, purpose))]);

describe('the English model of the development packages', () => {
  test('gives the vectors that its own runtime gives', async () => {
    // By @energetic-ai/embeddings 0.2.0, which tokenises the text and runs the graph with TensorFlow.js.
    for (const [text, expected] of [
      ['Bicycles are parked in the yard', [0.0226076, 0.058571, 0.0321291, -0.0286247]],
      ['naïve café — 100% “quoted”\nline two', [0.0553482, 0.0301784, 0.0330202, -0.0135146]],
      ['日本 text q#x', [0.0199803, -0.0586426, 0.0383935, 0.0177683]],
    ] as const) {
      const vector = await embedder.embed(text, 'passage');
      for (const [index, number] of expected.entries()) {
        assert.ok(Math.abs(vector[index]! - number) < 1e-5, `${text}: ${vector[index]}, not ${number}`);
      }
    }
  });
});

describe('a search by meaning', () => {
  const notes = {
    Bicycles: 'Bikes go into the shed behind the building.',
    Lunch: 'The canteen serves food from noon until two.',
    Salaries: 'Wages are transferred on the last working day of the month.',
    Holidays: 'Time off must be requested two weeks ahead.',
  };
  /** Questions that share no word with the text that answers them. */
  const questions = {
    'When do employees get paid?': 'Salaries',
    'How can somebody take vacation?': 'Holidays',
    'Something to eat, please': 'Lunch',
  };

  /** The title of the first hit of each question. */
  const firstHits = async (env: Record<string, string>, embeddingMode: 'auto' | 'keyword') => {
    const service = await openTestApp({ MEMORY_EMBEDDING_MODEL: ENGLISH_MODEL, ...env });
    const company = await service.company();
    for (const [title, text] of Object.entries(notes)) {
      const embedding = await vectorOf(embeddedText(title, [], text), 'passage');
      await company.api.ingestSource({ title, chunks: [{ text, embedding }], ...CLAIM });
    }
    const found: Record<string, string | undefined> = {};
    for (const query of Object.keys(questions)) {
      const vector =
        embeddingMode === 'auto' ? { queryEmbedding: await vectorOf(query, 'query'), ...CLAIM } : {};
      const { hits } = await company.api.searchMemory({ query, embeddingMode, scope: {}, ...vector });
      found[query] = hits[0]?.title;
    }
    return found;
  };

  test('finds texts that share no word with the question, which words do not find', async () => {
    assert.deepEqual(await firstHits({}, 'auto'), questions);
    assert.notDeepEqual(await firstHits({}, 'keyword'), questions);
  });
});
