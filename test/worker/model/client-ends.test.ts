import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import type { ModelClient } from '../../../worker/embedder/model-client.ts';
import { EmbeddingInterruptedError, TextRefusedError } from '../../../worker/embedder/text-lanes.ts';
import { endProcesses, temporaryFolder } from '../../support/needs/process.ts';
import { running, until } from '../../support/process-table.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';
import {
  type Choice,
  children,
  errorsOf,
  MISBEHAVING,
  modelFolder,
  type OpenedClient,
  openClient,
  openMisbehaving,
  startsIn,
  tell,
  waiting,
} from './model-clients.ts';
import { openModelHub } from './model-hub.ts';

after(endProcesses);

/** Bounds that a process keeps on a slow machine too, unless it hangs: for its start, and for a text. */
const LOAD_MS = 10_000;
const RUN_MS = 5000;

describe('a text that ends the model process', () => {
  for (const text of ['die', 'exit', 'grow', 'hang']) {
    test(`is refused after it ended two processes (${text}), and a query beside it is answered`, async (t) => {
      const opened = await openMisbehaving(t, {
        megabytes: 256,
        ...(text === 'hang' ? { runMs: RUN_MS } : {}),
      });
      const { client, modelDir } = opened;
      await client.ready;
      const refused = assert.rejects(client.embed(text, 'passage', waiting()), TextRefusedError);
      const query = tell(client, 'pid', 'query');
      const next = tell(client, 'pid');
      await refused;
      assert.ok(startsIn(modelDir).includes(await query));
      assert.equal(await next, startsIn(modelDir).at(2));
      assert.equal(startsIn(modelDir).length, 3);
      assert.equal(opened.client.state().state, 'ready');
    });
  }

  test('is not refused if the process ends before it reports a start, and processes are not started in a loop', async (t) => {
    const { client, modelDir } = await openMisbehaving(t);
    const ended = assert.rejects(client.embed('die-unsaid', 'passage', waiting()), EmbeddingInterruptedError);
    await until(t.signal, () => client.state().state === 'failing');
    assert.equal(startsIn(modelDir).length, 2);
    await client.close();
    await ended;
  });

  test('is tried in another process and then refused if it causes an error, whose message stays hidden', async (t) => {
    const opened = await openMisbehaving(t);
    const { client, modelDir, log } = opened;
    await assert.rejects(client.embed('throw a secret', 'passage', waiting()), TextRefusedError);
    assert.equal(await tell(client, 'pid'), startsIn(modelDir)[2]);
    assert.equal(log.filter(({ line }) => line.includes('RangeError')).length, 2);
    assert.ok(log.every(({ line }) => !line.includes('secret')));
    assert.deepEqual(errorsOf(opened), []);
  });

  test('makes the model failing after three texts in a row; other waiting texts are released', async (t) => {
    const opened = await openMisbehaving(t);
    const { client } = opened;
    const before = client.embed('throw before', 'passage', waiting());
    // Its vector comes after the first refusal, which therefore does not count with the others.
    const vector = tell(client, 'pid');
    const texts = ['throw one', 'throw two', 'throw three'];
    const refused = texts.map((text) => client.embed(text, 'passage', waiting()).catch((e: unknown) => e));
    const fourth = assert.rejects(client.embed('pid', 'passage', waiting()), EmbeddingInterruptedError);
    await assert.rejects(before, TextRefusedError);
    assert.ok((await vector) > 0);
    for (const error of await Promise.all(refused)) assert.ok(error instanceof TextRefusedError);
    await fourth;
    assert.equal(client.state().state, 'failing');
    assert.match(errorsOf(opened).join(), /^no vectors are made: it gives no vector of 3 texts/);
  });
});

test('a process that has grown past its memory share is replaced between two texts', async (t) => {
  const { client, modelDir, log } = await openMisbehaving(t, { megabytes: 512 });
  const first = await tell(client, 'fill 0.5');
  assert.equal(await tell(client, 'pid'), first);
  assert.equal(await tell(client, 'fill 0.95'), first);
  const next = await tell(client, 'pid');
  assert.notEqual(next, first);
  assert.deepEqual(startsIn(modelDir), [first, next]);
  await until(t.signal, () => running([first]).length === 0);
  assert.deepEqual(
    log.filter(({ level }) => level !== 'info'),
    [],
  );
});

describe('a model process that does not become ready', () => {
  const cases: [load: string, options: Partial<Choice>, told: RegExp][] = [
    ['fill 0.95', { megabytes: 512 }, /^no vectors are made: the model takes \d+ MiB when loaded.*=512$/],
    ['grow', { megabytes: 256 }, /ended while it loaded \(SIGKILL\).*MEMORY_EMBEDDING_MEGABYTES=256/],
    ['hang', { loadMs: LOAD_MS }, /loading the model took longer than 10 seconds/],
    ['exit', {}, /ended while it loaded \(code 3\)$/],
    ['refuse', {}, /it does not want to$/],
  ];
  for (const [load, options, told] of cases) {
    test(`is failing, reported once and not restarted at once: ${load}`, async (t) => {
      const opened = await openMisbehaving(t, { load, ...options });
      const { client, modelDir, states } = opened;
      const text = assert.rejects(client.embed('pid', 'query', waiting()), EmbeddingInterruptedError);
      await until(t.signal, () => client.state().state === 'failing');
      assert.deepEqual(client.state(), { state: 'failing', fetched: null });
      assert.equal(client.rssBytes(), 0);
      const [error, ...more] = errorsOf(opened);
      assert.match(error ?? '', told);
      assert.deepEqual([more, states], [[], ['failing']]);
      // Its end is known: it would be started again by now.
      assert.equal(startsIn(modelDir).length, 1);
      assert.deepEqual(running(startsIn(modelDir)), []);
      await client.close();
      await text;
    });
  }

  test('is failing if it ends as soon as it is ready, and ready when it stays', async (t) => {
    const opened = await openMisbehaving(t, { load: 'vanish', retryMs: 10 });
    await until(t.signal, () => startsIn(opened.modelDir).length >= 3);
    assert.equal(await tell(opened.client, 'pid'), startsIn(opened.modelDir)[2]);
    assert.match(errorsOf(opened).join(), /^no vectors are made: its process ends as soon as it is ready/);
    assert.deepEqual(opened.states, ['ready', 'loading', 'ready', 'failing', 'ready']);
  });

  test('is failing if a file of the model is damaged, and ready when the file is whole', async (t) => {
    const modelDir = await modelFolder();
    await truncate(join(modelDir, TEST_MODEL, 'onnx', 'model_quantized.onnx'), 100_000);
    const opened = openClient(t, { modelDir, retryMs: 200 });
    await until(t.signal, () => opened.client.state().state === 'failing');
    await writeTestModel(modelDir);
    await opened.client.ready;
    assert.deepEqual(opened.states, ['failing', 'ready']);
    const [first = ''] = errorsOf(opened);
    assert.match(first, /^no vectors are made: Embedding model .* cannot be loaded: .*$/);
  });
});

test('is reported once if the model is missing, and ready when its files exist', async (t) => {
  const modelDir = await modelFolder();
  await rm(join(modelDir, TEST_MODEL), { recursive: true });
  const hub = await openModelHub({ files: new Map() });
  t.after(() => hub.close());
  const opened = openClient(t, { modelDir, hub: hub.url, retryMs: 50 });
  const missing = () => opened.states.filter((state) => state === 'missing').length;
  // Another worker may have it.
  const early = assert.rejects(opened.client.embed('a text', 'query', waiting()), EmbeddingInterruptedError);
  await until(t.signal, () => missing() > 0);
  assert.deepEqual(opened.client.state(), { state: 'missing', fetched: null });
  await writeTestModel(modelDir);
  await opened.client.ready;
  assert.equal(opened.client.state().state, 'ready');
  await early;
  assert.equal((await opened.client.embed('a text', 'query', waiting())).length, 1024);
  const errors = errorsOf(opened);
  assert.equal(errors[0]?.startsWith(`no vectors are made: Embedding model ${TEST_MODEL} is missing`), true);
  assert.equal(new Set(errors).size, errors.length);
});

describe('closing the model client', () => {
  const begun: [
    when: string,
    choice: Partial<Choice>,
    until: (opened: OpenedClient, t: TestContext) => Promise<unknown>,
  ][] = [
    ['at once', {}, async () => undefined],
    ['while it loads', {}, async (_, t) => until(t.signal, () => children().length > 0)],
    [
      'while loading hangs',
      { main: MISBEHAVING, load: 'hang' },
      async ({ modelDir }, t) => until(t.signal, () => startsIn(modelDir).length > 0),
    ],
    ['while it is idle', {}, async ({ client }) => client.ready],
    [
      'while it waits to try again',
      { load: 'exit', main: MISBEHAVING },
      async ({ client }, t) => until(t.signal, () => client.state().state === 'failing'),
    ],
    [
      'under a text that never ends',
      { main: MISBEHAVING },
      async ({ client, modelDir }, t) => {
        await client.ready;
        const begun = join(modelDir, 'begun');
        client.embed(`hang ${begun}`, 'passage', waiting()).catch(() => undefined);
        // Until it has begun, queries overtake it and are answered.
        await until(t.signal, () => existsSync(begun));
      },
    ],
  ];
  for (const [when, choice, happens] of begun) {
    test(`settles every promise and leaves no process: ${when}`, async (t) => {
      const opened = openClient(t, { modelDir: await modelFolder(), ...choice });
      await happens(opened, t);
      await assertCloses(opened.client, when === 'while it is idle' ? [] : ['one', 'another']);
    });
  }

  test('settles every promise and leaves no process: while the model is downloaded', async (t) => {
    const files = new Map([['config.json', Buffer.from('{}')]]);
    const hub = await openModelHub({ files, misbehave: () => true });
    t.after(() => hub.close());
    const { client } = openClient(t, { modelDir: await temporaryFolder(), hub: hub.url });
    await until(t.signal, () => hub.requests.length > 0);
    await assertCloses(client, ['one']);
  });

  async function assertCloses(client: ModelClient, texts: string[]): Promise<void> {
    const ended = texts.flatMap((text) =>
      (['query', 'passage'] as const).map((lane) =>
        assert.rejects(client.embed(text, lane, waiting()), EmbeddingInterruptedError),
      ),
    );
    await Promise.all([client.close(), client.close(), client.ready, ...ended]);
    assert.deepEqual(children(), []);
    await assert.rejects(client.embed('a text', 'query', waiting()), EmbeddingInterruptedError);
    await client.close();
  }
});
