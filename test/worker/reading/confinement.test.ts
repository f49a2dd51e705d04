import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import type { Confinement, ConfinementName } from '../../../worker/sandbox/confinement.ts';
import { watchMemory } from '../../../worker/sandbox/memory-watch.ts';
import { noNetworkFilter } from '../../../worker/sandbox/network-filter.ts';
import { openReadingPool } from '../../../worker/sandbox/reading-pool.ts';
import { endProcesses, temporaryFolder } from '../../support/needs/process.ts';
import { without } from '../../support/needs/programs.ts';
import { ROOT } from '../../support/root.ts';
import { readingOf, taskOf, wholeDocument } from './held-document.ts';
import { ATTEMPTS, FINDINGS, type Prey } from './hostile-extractor.ts';

after(endProcesses);

const EXTRACTORS = new URL('./hostile-extractor.ts', import.meta.url);

/** What each attempt comes to where it is not `ERR_ACCESS_DENIED`, whatever the operating system forbids. */
const OTHERWISE = {
  'open a database file': 'ERR_UNKNOWN_BUILTIN_MODULE',
  'open a built-in database by require': 'ERR_UNKNOWN_BUILTIN_MODULE',
  'load a native library': 'ERR_DLOPEN_DISABLED',
  'open the inspector by a signal': 'Error',
};

const OPEN = {
  'signal the parent': 'done',
  'connect to a port': 'done',
  'fetch a page': 'done',
  'send a datagram': 'done',
  // It is asked, and does not answer.
  'ask a name server': 'ETIMEOUT',
  'connect to a Unix socket': 'done',
  'listen on a Unix socket': 'done',
  'listen on a port': 'done',
};

/** What the operating system forbids, by confinement. */
const BY_CONFINEMENT: Record<ConfinementName, Record<string, string>> = {
  filter: {
    'open the inspector by a signal': 'EPERM',
    'signal the parent': 'EPERM',
    'connect to a port': 'EPERM',
    'fetch a page': 'EPERM',
    'send a datagram': 'EPERM',
    'ask a name server': 'ECONNREFUSED',
    'connect to a Unix socket': 'EPERM',
    'listen on a Unix socket': 'EPERM',
    'listen on a port': 'EPERM',
  },
  namespace: {
    ...OPEN,
    'connect to a port': 'ENETUNREACH',
    'fetch a page': 'ENETUNREACH',
    'send a datagram': 'ENETUNREACH',
    'ask a name server': 'ECONNREFUSED',
    // A port of its own namespace, to which nothing else can connect.
    'listen on a port': 'done',
  },
  setpriv: OPEN,
  shell: OPEN,
  none: OPEN,
};

/** What a hostile extractor comes to, and how often it reached what listens here. */
async function attack(
  t: TestContext,
  confinements?: readonly ConfinementName[],
): Promise<{
  confinement: Confinement;
  outcomes: Record<string, string>;
  reached: { tcp: number; udp: number; unix: number };
  left: string[];
}> {
  const reached = { tcp: 0, udp: 0, unix: 0 };
  const folder = await temporaryFolder();
  const secret = join(folder, 'secret');
  await writeFile(secret, 'a secret');
  await writeFile(join(folder, 'secret.json'), '{}');
  await symlink(secret, join(folder, 'given-link'));
  const tcp = createServer((socket) => {
    reached.tcp += 1;
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  }).listen(0, '127.0.0.1');
  const unixSocket = join(folder, 'unix');
  const unix = createServer((socket) => {
    reached.unix += 1;
    socket.destroy();
  }).listen(unixSocket);
  const udp = createSocket('udp4', () => {
    reached.udp += 1;
  });
  udp.bind(0, '127.0.0.1');
  await Promise.all([once(tcp, 'listening'), once(unix, 'listening'), once(udp, 'listening')]);
  const bounds = { seconds: 60, megabytes: 512 };
  const pool = openReadingPool(bounds, { extractors: EXTRACTORS, ...(confinements && { confinements }) });
  t.after(async () => {
    await pool.close();
    for (const server of [tcp, unix, udp]) server.close();
  });
  const outcomes: Record<string, string> = {};
  for (const attempt of [...Object.keys(ATTEMPTS), ...Object.keys(FINDINGS)]) {
    const prey: Prey = {
      attempt,
      folder,
      secret,
      root: ROOT,
      tcpPort: (tcp.address() as AddressInfo).port,
      udpPort: udp.address().port,
      unixSocket,
    };
    const { chunks } = await pool.read(taskOf(JSON.stringify(prey)), readingOf(), wholeDocument);
    outcomes[attempt] = chunks.map((chunk) => chunk.text).join('');
  }
  const given = ['given-link', 'secret', 'secret.json', 'unix'];
  const left = (await readdir(folder)).filter((name) => !given.includes(name));
  return { confinement: await pool.confinement, outcomes, reached, left };
}

/** Checks each outcome, and prints what could be reached. */
function assertOutcomes(t: TestContext, { name }: Confinement, outcomes: Record<string, string>): void {
  const reached = Object.keys(ATTEMPTS).filter((attempt) => outcomes[attempt] === 'done');
  t.diagnostic(`confinement ${name}, reached: ${reached.join(', ') || 'nothing'}`);
  const denied = Object.keys(ATTEMPTS).map((attempt) => [attempt, 'ERR_ACCESS_DENIED']);
  assert.deepEqual(outcomes, {
    ...(Object.fromEntries(denied) as Record<string, string>),
    ...OTHERWISE,
    ...BY_CONFINEMENT[name],
    environment: '[]',
    'environment in its report': '[]',
    'environment in a snapshot of its memory': 'false',
    'inherited descriptors': '"nothing"',
  });
}

describe('a hostile extractor', () => {
  it('reaches no thread, database, file, program or environment, and no network that can be forbidden', async (t) => {
    const { confinement, outcomes, reached, left } = await attack(t);
    assertOutcomes(t, confinement, outcomes);
    assert.deepEqual(left, []);
    if (confinement.network === 'forbidden') assert.deepEqual([reached.tcp, reached.udp], [0, 0]);
    if (confinement.name === 'filter') assert.equal(reached.unix, 0);
  });

  it('reaches only the network and signals where the system forbids nothing', async (t) => {
    const { confinement, outcomes, reached, left } = await attack(t, ['none']);
    assert.equal(confinement.network, 'open');
    assertOutcomes(t, confinement, outcomes);
    assert.deepEqual(left, []);
    // What listens here would have noticed.
    assert.ok(reached.tcp > 0 && reached.udp > 0 && reached.unix > 0);
  });
});

it('is confined with the first confinement that works on this system', async () => {
  const options = { extractors: EXTRACTORS, confinements: ['shell', 'none'] as const };
  const pool = openReadingPool({ seconds: 60, megabytes: 512 }, options);
  assert.equal((await pool.confinement).name, process.platform === 'win32' ? 'none' : 'shell');
  await pool.close();
});

it('gets a network filter on known architectures only, with valid final instructions', () => {
  assert.equal(noNetworkFilter('mips'), null);
  for (const architecture of ['x64', 'arm64'] as const) {
    const filter = noNetworkFilter(architecture);
    assert.ok(filter);
    const view = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
    const count = filter.byteLength / 8;
    const end = (at: number) => view.getUint32(at * 8 + 4, true);
    assert.equal(end(count - 2), 0x7fff0000);
    assert.equal(end(count - 1), 0x00050001);
    // Every jump of the list of calls leads to the refusal.
    for (let at = 3; at < count - 2; at += 1) assert.equal(at + 1 + view.getUint8(at * 8 + 2), count - 1);
  }
});

it('is ended if it uses too much memory, even if only ps can show it', { skip: without('ps') }, async () => {
  const hoard = 'const kept = []; while (kept.length < 4000) kept.push(Buffer.alloc(1048576, 1));';
  const child = spawn(process.execPath, ['-e', hoard], { stdio: 'ignore' });
  watchMemory(child, 200 * 1024 * 1024, 'darwin');
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  assert.equal(signal, 'SIGKILL');
});
