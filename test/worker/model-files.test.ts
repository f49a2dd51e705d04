import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type FetchProgress } from '../../worker/embedder/model-files.ts';
import { assertWhole, NAME, ONNX, ONNX_BYTES, openFetchScenes } from '../support/model-fetching.ts';
import { sha256 } from '../support/model-hub.ts';

const scene = await openFetchScenes();

describe('fetching a model', () => {
  it('follows the hub to its CDN, notes what it fetched, and asks for nothing the next time', async () => {
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

  it('fetches only what is missing', async () => {
    const the = await scene();
    await the.fetch();
    await rm(path.join(the.folder, 'tokenizer.json'));
    const before = the.hub.downloads().length;
    await the.fetch();
    const files = the.hub.downloads().slice(before);
    assert.ok(files.every(({ file }) => file === 'tokenizer.json') && files.length > 0);
    await assertWhole(the);
  });

  it('tells how far it is, of a whole known ahead', async () => {
    const the = await scene();
    const told: FetchProgress[] = [];
    await the.fetch({ tell: (progress) => told.push(progress) });
    const whole = [...the.files.values()].reduce((sum, { length }) => sum + length, 0);
    assert.ok(told.every(({ allTotal }) => allTotal === whole));
    assert.ok(told.every(({ allBytes }, i) => i === 0 || allBytes >= told[i - 1]!.allBytes));
    assert.deepEqual([...new Set(told.map(({ file }) => file))], [...the.files.keys()]);
    const last = { file: ONNX, bytes: ONNX_BYTES, total: ONNX_BYTES, allBytes: whole, allTotal: whole };
    assert.deepEqual(told.at(-1), last);
  });

  it('tells no whole where the hub tells none, and fetches all the same', async () => {
    const the = await scene(({ method, file }, response, content) => {
      if (method === 'HEAD') response.writeHead(405).end();
      else if (file !== ONNX) response.end(content);
      else response.write(content, () => response.end());
      return true;
    });
    const told: FetchProgress[] = [];
    await the.fetch({ tell: (progress) => told.push(progress) });
    assert.equal(told[0]?.allTotal, null);
    assert.equal(told.at(-1)?.total, null);
    await assertWhole(the);
  });

  it('by two at once on one folder gives both the whole model', async () => {
    const the = await scene();
    await Promise.all([the.fetch(), the.fetch(), the.fetch()]);
    await assertWhole(the);
  });

  it('removes the part that a killed process left an hour ago, and no other', async () => {
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

  it('says in one line that a folder cannot be made', async () => {
    const the = await scene();
    await writeFile(path.join(the.modelDir, 'owner'), 'a file');
    await assert.rejects(
      the.fetch(),
      /^ModelMissingError: .+ no config\.json in .+ the download failed \(ENOTDIR.+\)$/,
    );
  });
});

describe('what lies in the folder', () => {
  it('is damaged where a file has another size than when it was fetched', async () => {
    const the = await scene();
    await the.fetch();
    await writeFile(path.join(the.folder, ONNX), 'torn');
    await assert.rejects(the.look(), {
      name: 'ModelMissingError',
      message: `Embedding model ${NAME} is damaged: ${ONNX} in ${the.folder} has 4 bytes, not 600000, and downloads are not allowed`,
    });
    await the.fetch();
    await assertWhole(the);
  });

  it('is left unchanged if it is damaged and cannot be fetched again', async () => {
    const the = await scene();
    await the.fetch();
    await writeFile(path.join(the.folder, ONNX), 'torn');
    the.hub.close();
    await assert.rejects(
      the.fetch(),
      /is damaged: .+ has 4 bytes, not 600000, and the download failed \(.+\)$/,
    );
    assert.equal(await readFile(path.join(the.folder, ONNX), 'utf8'), 'torn');
  });

  it('is found damaged by its hash if the size is right, and is fetched again on request', async () => {
    const the = await scene();
    await the.fetch();
    await writeFile(path.join(the.folder, ONNX), randomBytes(ONNX_BYTES));
    await the.look();
    assert.deepEqual(await the.verdicts(), ['ok', 'ok', 'ok', 'damaged']);
    await the.fetch({ damaged: [ONNX] });
    await assertWhole(the);
  });

  it('is unknown where it was laid there by hand, and taken as it is', async () => {
    const the = await scene();
    await mkdir(path.join(the.folder, 'onnx'), { recursive: true });
    for (const [file, content] of the.files) await writeFile(path.join(the.folder, file), content);
    await the.look();
    assert.deepEqual(await the.verdicts(), ['unknown', 'unknown', 'unknown', 'unknown']);
    await rm(path.join(the.folder, 'config.json'));
    await the.fetch();
    assert.deepEqual(await the.verdicts(), ['ok', 'unknown', 'unknown', 'unknown']);
  });

  it('is unknown where the note of checksums is torn', async () => {
    const the = await scene();
    await the.fetch();
    for (const torn of ['{"config.json":', '[]', 'null', '{"config.json":{"sha256":"00"}}']) {
      await writeFile(path.join(the.folder, 'checksums.json'), torn);
      await the.look();
      assert.deepEqual(await the.verdicts(), ['unknown', 'unknown', 'unknown', 'unknown']);
    }
  });

  it('is missing in an empty folder', async () => {
    const { verdicts } = await scene();
    assert.deepEqual(await verdicts(), ['missing', 'missing', 'missing', 'missing']);
  });
});
