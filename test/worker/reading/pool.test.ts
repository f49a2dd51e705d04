import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareChunksNow } from '../../../shared/text/prepared-chunks.ts';
import { FileFault } from '../../../worker/extract/extraction.ts';
import { type ReadingBounds, ReadingInterruptedError } from '../../../worker/sandbox/reader.ts';
import {
  type HeldDocument,
  openReadingPool,
  type ReadingOptions,
  type ReadingPool,
} from '../../../worker/sandbox/reading-pool.ts';
import {
  endProcesses,
  type ServiceProcess,
  startCommand,
  temporaryFolder,
} from '../../support/needs/process.ts';
import { childrenOf, running, until } from '../../support/process-table.ts';
import { ROOT } from '../../support/root.ts';
import { type Reading, readingOf, taskOf, wholeDocument } from './held-document.ts';

after(endProcesses);

const EXTRACTORS = new URL('../../support/misbehaving-extractors.ts', import.meta.url);

/** A pool whose files do what their text says. */
function poolOf(
  t: TestContext,
  bounds: Partial<ReadingBounds> = {},
  options: ReadingOptions = {},
): ReadingPool {
  const pool = openReadingPool(
    { seconds: 60, megabytes: 512, ...bounds },
    { extractors: EXTRACTORS, ...options },
  );
  t.after(() => pool.close());
  return pool;
}

/** What is read of a file whose text is this. */
async function read(pool: ReadingPool, text: string, given?: Partial<Reading>): Promise<string> {
  const { chunks } = await pool.read(taskOf(text), readingOf(given), wholeDocument);
  return chunks.map((chunk) => chunk.text).join('');
}

/** The code with which a file fails, and that its sentence is one. */
async function faultOf(pool: ReadingPool, text: string): Promise<string> {
  const error: unknown = await read(pool, text).then(
    () => assert.fail(`${text} is read`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FileFault, String(error));
  assert.match(error.message, /^[A-Z].*\.$/);
  return error.code;
}

/** The process that the pool reads with, if it waits for a file. */
async function idlePid(pool: ReadingPool): Promise<number> {
  return Number(await read(pool, 'pid'));
}

describe('a file that misbehaves', () => {
  const cases: [text: string, code: string, bounds: Partial<ReadingBounds>][] = [
    ['endless', 'too_slow', { seconds: 1 }],
    ['waiting', 'too_slow', { seconds: 1 }],
    ['heap', 'too_much_memory', { megabytes: 256 }],
    ['buffers', 'too_much_memory', { megabytes: 256 }],
    ['block 3000', 'too_much_memory', { megabytes: 256 }],
    ['exit', 'unreadable', {}],
    ['abort', 'too_much_memory', {}],
    ['stack', 'unreadable', {}],
    ['throw something', 'unreadable', {}],
  ];
  for (const [text, code, bounds] of cases) {
    test(`ends its process and fails with ${code}, and the next file is read: ${text}`, async (t) => {
      const pool = poolOf(t, bounds);
      const pid = await idlePid(pool);
      assert.equal(await faultOf(pool, text), code);
      await until(t.signal, () => running([pid]).length === 0);
      assert.equal(await read(pool, 'a good file'), 'a good file');
    });
  }

  test('does not affect other files that are read at the same time', async (t) => {
    const pool = poolOf(t, { seconds: 5, megabytes: 256 });
    const [good, ...bad] = await Promise.all([
      read(pool, 'slow 1000'),
      faultOf(pool, 'endless'),
      faultOf(pool, 'buffers'),
      faultOf(pool, 'exit'),
    ]);
    assert.equal(good, 'read after 1000');
    assert.deepEqual(bad, ['too_slow', 'too_much_memory', 'unreadable']);
  });

  test('fails with too_much_memory if its process is killed from outside', async (t) => {
    const pool = poolOf(t);
    // Once it tells something, it has begun.
    const report = () => {
      for (const pid of running(childrenOf(process.pid))) process.kill(pid, 'SIGKILL');
    };
    await assert.rejects(read(pool, 'tell 250 0.1 0.2 0.3', { report }), { code: 'too_much_memory' });
    assert.equal(await read(pool, 'a good file'), 'a good file');
  });

  test('is read by another process if its process is killed while it waits for a file', async (t) => {
    const pool = poolOf(t);
    const pid = await idlePid(pool);
    process.kill(pid, 'SIGKILL');
    await until(t.signal, () => running([pid]).length === 0);
    assert.notEqual(await idlePid(pool), pid);
  });

  test('does not affect the next file if it ends the process later', async (t) => {
    const pool = poolOf(t);
    const pid = await idlePid(pool);
    assert.equal(await read(pool, 'afterwards'), 'read');
    await until(t.signal, () => running([pid]).length === 0);
    assert.equal(await read(pool, 'a good file'), 'a good file');
  });

  test('does not affect the next file if it keeps the process busy', async (t) => {
    const pool = poolOf(t, { seconds: 2 });
    const pid = await idlePid(pool);
    assert.equal(await read(pool, 'lingering'), 'read');
    await pause(200);
    assert.equal(await read(pool, 'a good file'), 'a good file');
    await until(t.signal, () => running([pid]).length === 0);
  });

  test('does not affect the next file if it leaves too little memory', async (t) => {
    const pool = poolOf(t);
    const kept = await Promise.all([1, 2, 3].map(() => read(pool, 'keep 1')));
    assert.deepEqual(kept, ['1', '1', '1']);
    assert.equal(await read(pool, 'alone'), 'read alone');
  });
});

test('what a process says that it did not read is ignored if it exceeds the bounds', async (t) => {
  const pool = poolOf(t);
  const read = async ({ unread, encoding }: HeldDocument) => ({ unread, encoding });
  assert.deepEqual(await pool.read(taskOf('forged'), readingOf(), read), { unread: [], encoding: null });
});

describe('the time limit for a file', () => {
  const bounds = { seconds: 60, baseSeconds: 0.5, secondsPerMegabyte: 60 };

  test('is never more than the limit for all files', async (t) => {
    const pool = poolOf(t, { ...bounds, seconds: 1 });
    assert.equal(await faultOf(pool, `waiting ${' '.repeat(1024 * 1024)}`), 'too_slow');
  });
});

test('a file that ends its process starts once in a new process, and twice in a used one', async (t) => {
  for (const [before, times] of [
    [null, 1],
    ['a good file', 2],
  ] as const) {
    const pool = poolOf(t);
    if (before !== null) await read(pool, before);
    let begun = 0;
    const count = () => {
      begun += 1;
    };
    await assert.rejects(read(pool, 'exit', { begun: count }), FileFault);
    assert.equal(begun, times);
  }
});

test('a fault from the extractor is passed on unchanged', async (t) => {
  const pool = poolOf(t);
  await assert.rejects(read(pool, 'fault It is locked.'), { code: 'locked', message: 'It is locked.' });
  assert.equal(await read(pool, 'a good file'), 'a good file');
});

test('a process that cannot start is not a fault of the file', async (t) => {
  const folder = await temporaryFolder();
  const broken = join(folder, 'broken.ts');
  await writeFile(broken, 'throw new Error("nothing to read with");');
  const pool = poolOf(t, {}, { extractors: new URL(`file://${broken}`) });
  const error: unknown = await read(pool, 'a good file').catch((reason: unknown) => reason);
  assert.ok(error instanceof Error);
  assert.ok(!(error instanceof FileFault) && !(error instanceof ReadingInterruptedError), String(error));
});

test('memory left by one file does not count against the next', async (t) => {
  const pool = poolOf(t, { megabytes: 512 });
  const pid = await idlePid(pool);
  assert.equal(await read(pool, 'keep 200'), '1');
  assert.equal(await read(pool, 'blocks 300'), '300');
  await until(t.signal, () => running([pid]).length === 0);
});

describe('a document of many chunks', () => {
  const TEXT = Array.from({ length: 900 }, (_, n) => `paragraph ${n} `.repeat(100)).join('\n\n');
  const portionsIn = (chunks: HeldDocument['chunks']) => {
    assert.ok(!('length' in chunks), 'it comes in portions');
    return chunks;
  };
  test('comes in portions that can be read again, and keeps its process while it is in use', async (t) => {
    const pool = poolOf(t);
    const pid = await idlePid(pool);
    const asked = taskOf(TEXT);
    const after = await pool.read(asked, readingOf(), async ({ chunks, chunkCount }) => {
      const portions = await Array.fromAsync(portionsIn(chunks));
      assert.ok(portions.length > 1);
      const all = portions.flat();
      assert.equal(all.length, chunkCount);
      const parts = [{ text: TEXT, place: null }];
      assert.deepEqual(all, prepareChunksNow(asked.teamId, { parts, fields: asked.fields }));
      assert.notEqual(await idlePid(pool), pid);
      assert.deepEqual((await Array.fromAsync(portionsIn(chunks))).flat(), all);
      return portionsIn(chunks);
    });
    await assert.rejects(Array.fromAsync(after), ReadingInterruptedError, 'after its use has ended');
  });

  test('releases its process to the next file if the rest is not wanted', async (t) => {
    // One that held a large share of the bound would be replaced.
    const pool = poolOf(t, { megabytes: 4096 });
    const pid = await idlePid(pool);
    await pool.read(taskOf(TEXT), readingOf(), async ({ chunks }) => {
      for await (const portion of portionsIn(chunks)) if (portion.length > 0) break;
    });
    assert.equal(await idlePid(pool), pid);
  });

  test('is not at fault if its process ends before all portions were read', async (t) => {
    const pool = poolOf(t);
    const pid = await idlePid(pool);
    const read = pool.read(taskOf(TEXT), readingOf(), async ({ chunks }) => {
      for await (const portion of portionsIn(chunks)) if (portion.length > 0) process.kill(pid, 'SIGKILL');
    });
    await assert.rejects(read, /ended before its passages were stored/);
    assert.notEqual(await idlePid(pool), pid);
  });

  test('is aborted when nobody waits for it', async (t) => {
    const pool = poolOf(t);
    const stop = new AbortController();
    const read = pool.read(taskOf(TEXT), readingOf({ signal: stop.signal }), async ({ chunks }) => {
      for await (const portion of portionsIn(chunks)) if (portion.length > 0) stop.abort();
    });
    await assert.rejects(read, ReadingInterruptedError);
  });
});

describe('a worker that stops', () => {
  test('interrupts reading, whatever the process does, and ends the process', async (t) => {
    for (const text of ['endless', 'waiting']) {
      const pool = poolOf(t);
      const pid = await idlePid(pool);
      const stopping = new AbortController();
      const reading = read(pool, text, { signal: stopping.signal });
      stopping.abort();
      await assert.rejects(reading, ReadingInterruptedError);
      await until(t.signal, () => running([pid]).length === 0);
    }
  });
});

describe('the reading processes', () => {
  test('are reused for the next file, as many as read at once', async (t) => {
    const pool = poolOf(t);
    const pid = await idlePid(pool);
    assert.equal(await idlePid(pool), pid);
    const pids = await Promise.all([1, 2, 3].map(() => read(pool, 'slow 200').then(() => idlePid(pool))));
    assert.ok(pids.includes(pid));
    const again = await Promise.all([1, 2, 3].map(() => idlePid(pool)));
    assert.deepEqual(new Set([...pids, ...again]).size, 3);
  });

  test('end after a long time without files, and are started again when needed', async (t) => {
    const pool = poolOf(t, {}, { idleMs: 50 });
    const pid = await idlePid(pool);
    await until(t.signal, () => running([pid]).length === 0);
    assert.equal(await read(pool, 'a good file'), 'a good file');
  });

  test('are all gone after the pool is closed, even those that start or read', async (t) => {
    const pool = poolOf(t);
    await Promise.all([1, 2].map(() => read(pool, 'slow 100')));
    const ended = ['endless', 'waiting', 'slow 60000'].map((text) =>
      read(pool, text).then(
        () => assert.fail('it is read'),
        () => undefined,
      ),
    );
    // The third one starts: the other two were free.
    await until(t.signal, () => childrenOf(process.pid).length >= 3);
    const children = childrenOf(process.pid);
    await pool.close();
    await Promise.all(ended);
    assert.deepEqual(
      running(children).filter((pid) => childrenOf(process.pid).includes(pid)),
      [],
    );
    await pool.close();
  });
});

describe('the parent of the reading processes', () => {
  const parentOf = (...given: string[]) =>
    startCommand(process.execPath, [join(ROOT, 'test', 'worker', 'reading', 'reading-parent.ts'), ...given]);

  test('ends its processes when it is killed, even while a file never ends', async (t) => {
    // Without util-linux too, as on macOS.
    for (const given of [['endless'], [`tell 250 ${'0.1 '.repeat(200)}`], ['endless', 'shell']]) {
      const parent = parentOf(...given);
      const { pid } = parent.child;
      assert.ok(pid);
      await parent.line(/^told$/);
      const children = childrenOf(pid);
      // The parent alone, not the group.
      parent.child.kill('SIGKILL');
      await until(t.signal, () => running(children).length === 0);
    }
  });

  test('gets the result if Ctrl-C reaches the whole process group', async (t) => {
    const begun: ((parent: ServiceProcess) => Promise<unknown>)[] = [
      // The process that is to read is starting,
      ({ child }) => until(t.signal, () => childrenOf(child.pid ?? 0).length > 0),
      // and is reading its file.
      (parent) => parent.line(/^told$/),
    ];
    for (const untilBegun of begun) {
      const parent = parentOf(`tell 250 ${'0.1 '.repeat(8)}`);
      await untilBegun(parent);
      assert.ok(parent.child.pid);
      process.kill(-parent.child.pid, 'SIGINT');
      await parent.line(/^interrupted$/);
      await parent.line(/^told 250/);
      assert.equal(await parent.exited, 0);
    }
  });
});
