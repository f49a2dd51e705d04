import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type FetchProgress } from '../../../worker/embedder/model-files.ts';
import { assertWhole, NAME, ONNX, ONNX_BYTES, openFetchScenes } from './model-fetching.ts';
import { sha256 } from './model-hub.ts';

const scene = await openFetchScenes();

describe('fetching a model', () => {
  it('follows the hub to its CDN, stores checksums, and requests nothing the next time', async () => {
    const the = await scene();
    await the.fetch();
    await assertWhole(the);
    const noted = JSON.parse(await readFile(path.join(the.folder, 'checksums.json'), 'utf8'));
    const expected = [...the.files].map(([file, content]) => [
      file,
      { sha256: sha256(content), bytes: content.length },
    ]);
    assert.deepEqual(noted, Object.fromEntries(expected));
    const asked = the.hub.requests.length;
    await the.fetch();
    await the.look();
    assert.equal(the.hub.requests.length, asked);
  });

  it('fetches only missing files', async () => {
    const the = await scene();
    await the.fetch();
    await rm(path.join(the.folder, 'tokenizer.json'));
    const before = the.hub.downloads().length;
    await the.fetch();
    const files = the.hub.downloads().slice(before);
    assert.ok(files.every(({ file }) => file === 'tokenizer.json') && files.length > 0);
    await assertWhole(the);
  });

  it('reports its progress with a known total', async () => {
    const the = await scene();
    const told: FetchProgress[] = [];
    await the.fetch({ report: (progress) => told.push(progress) });
    const whole = [...the.files.values()].reduce((sum, { length }) => sum + length, 0);
    assert.ok(told.every(({ allTotal }) => allTotal === whole));
    assert.ok(told.every(({ allBytes }, i) => i === 0 || allBytes >= told[i - 1]!.allBytes));
    assert.deepEqual([...new Set(told.map(({ file }) => file))], [...the.files.keys()]);
    const last = {
      file: ONNX,
      bytes: ONNX_BYTES,
      total: ONNX_BYTES,
      allBytes: whole,
      allTotal: whole,
    };
    const { secondsLeft, ...end } = told.at(-1)!;
    assert.deepEqual(end, last);
    // 0 if the rate was known: nothing is left.
    assert.equal(secondsLeft ?? 0, 0);
  });

  it('gives the whole model to several callers at once in one folder', async () => {
    const the = await scene();
    await Promise.all([the.fetch(), the.fetch(), the.fetch()]);
    await assertWhole(the);
  });

  it('removes the partial file of a process killed an hour ago, and no other', async () => {
    const the = await scene();
    await mkdir(path.join(the.folder, 'onnx'), { recursive: true });
    const [dead, living] = ['7.0badcafe', '7.0badf00d'].map((id) =>
      path.join(the.folder, `${ONNX}.${id}.part`),
    );
    assert.ok(dead && living);
    await writeFile(dead, 'torn');
    await writeFile(living, 'grows');
    const before = new Date(Date.now() - 3 * 3_600_000);
    await utimes(dead, before, before);
    await the.fetch();
    assert.deepEqual((await readdir(path.dirname(dead))).sort(), [
      path.basename(ONNX),
      path.basename(living),
    ]);
  });
});

describe('the files in the model folder', () => {
  it('are damaged if one has another size than when it was fetched, and stay so if it cannot be fetched again', async () => {
    const the = await scene();
    await the.fetch();
    const damaged = path.join(the.folder, ONNX);
    await writeFile(damaged, 'torn');
    await assert.rejects(the.look(), {
      name: 'ModelMissingError',
      message: `Embedding model ${NAME} is damaged: ${ONNX} in ${the.folder} has 4 bytes, not 600000, and downloads are not allowed`,
    });
    await the.fetch();
    await assertWhole(the);
    await writeFile(damaged, 'torn');
    the.hub.close();
    await assert.rejects(
      the.fetch(),
      /is damaged: .+ has 4 bytes, not 600000, and the download failed \(.+\): check the network/,
    );
    assert.equal(await readFile(damaged, 'utf8'), 'torn');
  });

  it('are unknown and used as they are if they were copied by hand', async () => {
    const the = await scene();
    await mkdir(path.join(the.folder, 'onnx'), { recursive: true });
    for (const [file, content] of the.files) await writeFile(path.join(the.folder, file), content);
    await the.look();
    assert.deepEqual(await the.verdicts(), ['unknown', 'unknown', 'unknown', 'unknown']);
    await rm(path.join(the.folder, 'config.json'));
    await the.fetch();
    assert.deepEqual(await the.verdicts(), ['ok', 'unknown', 'unknown', 'unknown']);
  });
});
