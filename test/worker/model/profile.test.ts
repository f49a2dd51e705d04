import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { modelProfile } from '../../../worker/embedder/known-models.ts';
import { loadEmbedder } from '../../../worker/embedder/model.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';

describe('the profile of a model', () => {
  const nothing = { pooling: undefined, queryPrefix: undefined, passagePrefix: undefined };
  const e5 = 'Xenova/multilingual-e5-large';

  test('is the built-in one if the settings are empty', () => {
    assert.deepEqual(modelProfile(e5, nothing), modelProfile(e5));
    assert.equal(modelProfile(e5).pooling, 'mean');
    assert.equal(modelProfile(e5).queryPrefix, 'query: ');
  });

  test('prefers each setting to the built-in value, and adds a space after a prefix', () => {
    assert.deepEqual(modelProfile(e5, { ...nothing, pooling: 'cls' }), {
      ...modelProfile(e5),
      pooling: 'cls',
    });
    assert.deepEqual(modelProfile(e5, { ...nothing, queryPrefix: 'find:' }), {
      ...modelProfile(e5),
      queryPrefix: 'find: ',
    });
    assert.deepEqual(modelProfile('an/unknown', { ...nothing, pooling: 'mean', passagePrefix: 'text:' }), {
      ...modelProfile('an/unknown'),
      pooling: 'mean',
      passagePrefix: 'text: ',
    });
  });

  test('is plain for an unknown model, even if it is named like an object property', () => {
    for (const name of ['an/unknown', 'constructor', '__proto__']) {
      const { pooling, queryPrefix, passagePrefix } = modelProfile(name);
      assert.deepEqual([pooling, queryPrefix, passagePrefix], ['cls', '', '']);
    }
  });

  test('is refused when the model is loaded if its prefix leaves no room for text', async (t) => {
    const modelDir = await mkdtemp(join(tmpdir(), 'model-profile-'));
    t.after(() => rm(modelDir, { recursive: true, force: true }));
    await writeTestModel(modelDir);
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
    await embedder.close();
  });
});
