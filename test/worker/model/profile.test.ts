import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { modelProfile } from '../../../shared/embedding-models.ts';
import { loadEmbedder } from '../../../worker/embedder/model.ts';
import { endProcesses } from '../../support/needs/process.ts';
import { TEST_MODEL } from '../../support/test-model.ts';
import { modelFolder } from './model-clients.ts';

after(endProcesses);

describe('the profile of a model', () => {
  const nothing = { pooling: undefined, queryPrefix: undefined, passagePrefix: undefined, weight: undefined };
  const e5 = 'Xenova/multilingual-e5-large';

  test('is the built-in one if the settings are empty', () => {
    assert.deepEqual(modelProfile(e5, nothing), modelProfile(e5));
    assert.equal(modelProfile(e5).pooling, 'mean');
    assert.equal(modelProfile(e5).queryPrefix, 'query: ');
  });

  test('prefers each setting to the built-in value, and adds a space after a prefix', () => {
    for (const [name, set, changed] of [
      [e5, { pooling: 'cls' }, { pooling: 'cls' }],
      [e5, { queryPrefix: 'find:' }, { queryPrefix: 'find: ' }],
      [e5, { weight: 0 }, { weight: 0 }],
      [
        'an/unknown',
        { pooling: 'mean', passagePrefix: 'text:' },
        { pooling: 'mean', passagePrefix: 'text: ' },
      ],
    ] as const) {
      assert.deepEqual(modelProfile(name, { ...nothing, ...set }), { ...modelProfile(name), ...changed });
    }
  });

  test('is plain for an unknown model, even if it is named like an object property', () => {
    for (const name of ['an/unknown', 'constructor', '__proto__']) {
      const { pooling, queryPrefix, passagePrefix, weight } = modelProfile(name);
      assert.deepEqual([pooling, queryPrefix, passagePrefix, weight], ['cls', '', '', 1]);
    }
  });

  test('is refused when the model is loaded if its prefix leaves no room for text', async () => {
    const modelDir = await modelFolder();
    const load = (passagePrefix: string) =>
      loadEmbedder({
        name: TEST_MODEL,
        modelDir,
        allowDownload: false,
        profile: { ...nothing, passagePrefix },
      });
    await assert.rejects(load('p'.repeat(2046)), /no room for text beside a prefix/);
    const embedder = await load('p'.repeat(2000));
    assert.equal((await embedder.embed('a text', 'passage')).length, 1024);
  });
});
