import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { tryModel } from '../../../worker/embedder/try-model.ts';
import { endProcesses, freePorts, startCommand, temporaryFolder } from '../../support/needs/process.ts';
import { ROOT } from '../../support/root.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';
import { MISBEHAVING, modelFolder } from './model-clients.ts';
import { always, breakHalfWay, ONNX, openFetchScenes } from './model-fetching.ts';
import { type Misbehaviour, openModelHub } from './model-hub.ts';

const NAMES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', ONNX];

const files = new Map<string, Buffer>();
const fetchScene = await openFetchScenes();

before(async () => {
  const made = await temporaryFolder();
  await writeTestModel(made);
  for (const name of NAMES) files.set(name, await readFile(path.join(made, TEST_MODEL, name)));
});
after(endProcesses);

interface Failure {
  misbehave?: Misbehaviour;
  /** The files on the hub, if not those of the small model. */
  files?: ReadonlyMap<string, Buffer>;
  env?: Record<string, string>;
  /** Changes the folder of the model after a first run. */
  damage?: (folder: string) => Promise<void>;
  /** The one line on standard error. */
  line: RegExp;
  /** Whether the large file was requested. */
  downloads?: boolean;
}

/** Runs the command in an empty folder with a hub of its own, and expects one line and exit code 1. */
async function assertFails(t: TestContext, failure: Failure): Promise<void> {
  const hub = await openModelHub({
    files: failure.files ?? files,
    ...(failure.misbehave && { misbehave: failure.misbehave }),
  });
  t.after(() => hub.close());
  const cwd = await temporaryFolder();
  const env = {
    MEMORY_EMBEDDING_MODEL: TEST_MODEL,
    MEMORY_MODEL_DIR: 'models',
    MEMORY_MODEL_HUB: hub.url,
    ...failure.env,
  };
  const run = async () => {
    const main = path.join(ROOT, 'worker/embedder/fetch-model.ts');
    const { exited, stderr } = startCommand(process.execPath, [main], { cwd, env });
    return { code: await exited, stderr };
  };
  if (failure.damage !== undefined) {
    assert.deepEqual(await run(), { code: 0, stderr: [] });
    await failure.damage(path.join(cwd, 'models', TEST_MODEL));
  }
  const before = hub.downloads().length;
  const { code, stderr } = await run();
  assert.deepEqual([code, stderr.length], [1, 1], stderr.join('\n'));
  assert.match(stderr[0] ?? '', failure.line);
  if (failure.downloads !== undefined) {
    const asked = hub
      .downloads()
      .slice(before)
      .some(({ file }) => file === ONNX);
    assert.equal(asked, failure.downloads);
  }
}

/** The hub reports this size of the large file, before anything is downloaded. */
const reporting =
  (bytes: number): Misbehaviour =>
  ({ at, method, file }, response) => {
    if (at !== 'hub' || method !== 'HEAD' || file !== ONNX) return false;
    response.writeHead(302, { location: 'http://127.0.0.1:9/x', 'x-linked-size': bytes }).end();
    return true;
  };

/** A proxy that answers every request with this status. */
async function openProxy(t: TestContext, status: number): Promise<Record<string, string>> {
  const server = createServer((_, response) => response.writeHead(status).end());
  server.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`));
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: address,
    HTTP_PROXY: address,
    NO_PROXY: '',
    MEMORY_MODEL_HUB: 'https://hub.test/',
  };
}

const MISSING = `Embedding model ${TEST_MODEL} is missing: no \\S+ in \\S+, and`;

describe('fetch-model ends with one line that says what to do', () => {
  it('if there is no network', async (t) => {
    const [port] = await freePorts(1);
    await assertFails(t, {
      env: { MEMORY_MODEL_HUB: `http://127.0.0.1:${port}` },
      line: new RegExp(
        `^${MISSING} the download failed \\(.*ECONNREFUSED.*\\): check the network of this machine; behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1; or run npm run fetch-model -- --files-only on another machine`,
      ),
    });
  });

  it('if the name of the hub is not known', async (t) => {
    await assertFails(t, {
      env: { MEMORY_MODEL_HUB: 'http://hub.invalid/' },
      line: /\(.*(ENOTFOUND|EAI_AGAIN).*\): check the network of this machine/,
    });
  });

  it('if a proxy refuses the hub', async (t) => {
    await assertFails(t, {
      env: await openProxy(t, 403),
      line: /\(.*403.*\): the proxy refuses hub\.test: ask its operator to allow it, or set MEMORY_MODEL_HUB/,
    });
  });

  it('if a proxy requires a sign-in', async (t) => {
    await assertFails(t, {
      env: await openProxy(t, 407),
      line: /\(.*407.*\): the proxy requires a sign-in: set HTTPS_PROXY to http:\/\/USER:PASSWORD@HOST:PORT/,
    });
  });

  it('if the network asks for a sign-in', async (t) => {
    await assertFails(t, {
      misbehave: (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
        return true;
      },
      line: /\(what arrived is no JSON\): the network answered in place of the hub: sign in to the network/,
    });
  });

  it('if the hub does not have the model', async (t) => {
    await assertFails(t, {
      files: new Map(),
      line: /answered 404\): check the name in MEMORY_EMBEDDING_MODEL/,
    });
  });

  it('if the hub sends a damaged file', async (t) => {
    await assertFails(t, {
      misbehave: ({ at }, response, content) => {
        if (at !== 'cdn') return false;
        response.end(Buffer.alloc(content.length, 7));
        return true;
      },
      line: /\(what arrived does not have the hash that the hub reports\): try again; if it fails again, a proxy or mirror changes the file/,
    });
  });

  it('if a file on the disk is damaged, and its checksum is not known', async (t) => {
    await assertFails(t, {
      damage: async (folder) => {
        await writeFile(path.join(folder, ONNX), 'no model');
        await rm(path.join(folder, 'checksums.json'));
      },
      line: /^Embedding model \S+ in \S+ cannot be loaded: .+: remove this folder and run npm run fetch-model, or set another MEMORY_EMBEDDING_MODEL$/,
    });
  });

  it('if the disk is too small, before it downloads', async (t) => {
    await assertFails(t, {
      misbehave: reporting(900_000_000_000_000),
      line: new RegExp(
        `^${MISSING} it was not downloaded: it needs 90000\\d\\.\\d GB, and the disk has \\d+\\.\\d GB free: free \\d+\\.\\d GB more, or set MEMORY_MODEL_DIR`,
      ),
      downloads: false,
    });
  });

  it('if the memory is too small, before it downloads', async (t) => {
    await assertFails(t, {
      misbehave: reporting(300_000_000),
      env: { MEMORY_EMBEDDING_MEGABYTES: '256' },
      line: new RegExp(
        `^${MISSING} it was not downloaded: it needs about 820\\.0 MB of memory, and can have 268\\.4 MB: (set MEMORY_EMBEDDING_MEGABYTES to \\d+|use a machine)`,
      ),
      downloads: false,
    });
  });

  it('if the model has not 1,024 dimensions, before it downloads the weights', async (t) => {
    const made = await temporaryFolder();
    await writeTestModel(made, { width: 512 });
    const narrow = new Map<string, Buffer>();
    for (const name of NAMES) narrow.set(name, await readFile(path.join(made, TEST_MODEL, name)));
    const line =
      /gives vectors of 512 numbers, and 1024 are needed: set MEMORY_EMBEDDING_MODEL to a model with 1024 dimensions, such as Xenova\/bge-m3$/;
    await assertFails(t, { files: narrow, line, downloads: false });
    // Where the configuration does not tell it, loading the model does.
    narrow.set('config.json', Buffer.from(String(narrow.get('config.json')).replace('hidden_size', 'size')));
    await assertFails(t, { files: narrow, line, downloads: true });
  });

  it('if the model needs more memory than was estimated', async () => {
    const modelDir = await modelFolder();
    const profile = { pooling: undefined, queryPrefix: 'grow', passagePrefix: undefined, weight: undefined };
    const model = { name: TEST_MODEL, modelDir, profile };
    await assert.rejects(tryModel({ model, megabytes: 256, main: MISBEHAVING }), {
      message:
        'its process ended while it loaded (SIGKILL): it may need more memory than MEMORY_EMBEDDING_MEGABYTES=256, or than there is: raise MEMORY_EMBEDDING_MEGABYTES, or use a machine with more memory',
    });
  });

  it('if only half of a file arrives', async () => {
    const the = await fetchScene(always(breakHalfWay));
    await assert.rejects(
      the.fetch(),
      /\(it broke off after \d+ of 600000 bytes: .+\): (check the network|try again)/,
    );
  });
});

describe('a download that the disk cannot take', () => {
  it('ends with what to do, and leaves nothing on the full disk', async (t) => {
    const the = await fetchScene();
    await mkdir(the.folder, { recursive: true });
    const handle = await open(path.join(the.folder, 'config.json'), 'w');
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    // As the file system does when the disk is full. The small files are not written before it.
    t.mock.method(Object.getPrototypeOf(handle) as typeof handle, 'write', () => Promise.reject(full));
    await handle.close();
    await rm(path.join(the.folder, 'config.json'));
    await assert.rejects(
      the.fetch(),
      /\(it cannot be written: ENOSPC: .+\): free some space, or set MEMORY_MODEL_DIR to a folder on another disk$/,
    );
    assert.deepEqual(await the.verdicts(), ['missing', 'missing', 'missing', 'missing']);
  });
});
