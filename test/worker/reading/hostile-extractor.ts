import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import fs from 'node:fs';
import inspector from 'node:inspector';
import { createRequire, register } from 'node:module';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type * as Sqlite from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { getHeapSnapshot, writeHeapSnapshot } from 'node:v8';
import type * as Wasi from 'node:wasi';
import { Worker } from 'node:worker_threads';
import type { Extraction, Extractor } from '../../../worker/extract/extraction.ts';

/*
 * An extractor that was taken over by its file, and tries what it could do with that. The "file" names one attempt
 * and what it needs; what is read is what came of it: `done`, or the code or name of its error.
 */

/** What an attempt is given. */
export interface Prey {
  attempt: string;
  /** A folder that the test can look into. */
  folder: string;
  /** A file there with a secret. */
  secret: string;
  /** The code of the service. */
  root: string;
  /** Where the test listens. */
  tcpPort: number;
  udpPort: number;
  unixSocket: string;
}

const require = createRequire(import.meta.url);
const PATIENCE_MS = 3000;

/** Waits for a socket to be connected. */
function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

/** Waits for a thread to run. */
function online(thread: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    thread.once('online', resolve);
    thread.once('error', reject);
  });
}

/** What code comes to in a thread that is given options of its own, and with them no permission model. */
function inThread(code: string): Promise<void> {
  return new Promise((resolve, reject) => {
    new Worker(code, { eval: true, execArgv: [] }).once('error', reject).once('exit', () => resolve());
  });
}

function spawned(command: string): void {
  const { error } = spawnSync(command, ['--version']);
  if (error) throw error;
}

/** Descriptors that were handed down and lead to a file, a folder or a connection other than the parent's channel. */
function inherited(): string {
  const CHANNEL = 3;
  const open: string[] = [];
  for (let descriptor = 0; descriptor < 64; descriptor += 1) {
    try {
      const stat = fs.fstatSync(descriptor);
      // A file without a name is the filter's.
      const named = stat.isDirectory() || (stat.isFile() && stat.nlink > 0);
      if (named || (stat.isSocket() && descriptor !== CHANNEL)) open.push(`${descriptor}`);
    } catch {
      // It is not open.
    }
  }
  return open.length === 0 ? 'nothing' : open.join(' ');
}

export const ATTEMPTS: Readonly<Record<string, (prey: Prey) => unknown>> = {
  'start a thread': () => online(new Worker('', { eval: true })),
  'write a file in a thread': ({ folder }) =>
    inThread(`require('fs').writeFileSync(${JSON.stringify(join(folder, 'by-thread'))}, 'x')`),
  'read the environment of the parent in a thread': () =>
    inThread(`require('fs').readFileSync('/proc/${process.ppid}/environ')`),
  'start a program in a thread': () => inThread(`require('child_process').execFileSync('/bin/ls')`),
  'start a thread for module hooks': () => register('data:text/javascript,export {}'),
  'start a program': () => spawned('/bin/ls'),
  'start Node': () => spawned(process.execPath),
  'open a database file': async ({ folder }) => {
    const name = 'node:sqlite';
    const { DatabaseSync } = (await import(name)) as typeof Sqlite;
    new DatabaseSync(join(folder, 'database')).exec('create table reached (x)');
  },
  'open a built-in database by require': () => require('node:sqlite'),
  'write a file': ({ folder }) => fs.writeFileSync(join(folder, 'written'), 'x'),
  'write a file to the temporary folder': () => fs.mkdtempSync('/tmp/hostile-'),
  'overwrite the code': ({ root }) => fs.appendFileSync(join(root, 'package.json'), ' '),
  'read a file outside': ({ secret }) => fs.readFileSync(secret),
  'read a file outside by a promise': ({ secret }) => fs.promises.readFile(secret),
  'read a file outside by a stream': ({ secret }) =>
    new Promise((resolve, reject) => {
      fs.createReadStream(secret).once('data', resolve).once('error', reject);
    }),
  'read a file outside by a path through the code': ({ root, secret }) =>
    fs.readFileSync(`${root}/worker/${'../../'.repeat(20)}${secret}`),
  'read a file outside by require': ({ folder }) => require(join(folder, 'secret.json')) as unknown,
  'read a file outside by import': ({ folder }) =>
    import(join(folder, 'secret.json'), { with: { type: 'json' } }),
  'read the README beside the code': ({ root }) => fs.readFileSync(join(root, 'README.md')),
  'read the settings beside the code': ({ root }) => fs.readFileSync(join(root, '.env')),
  'load the settings beside the code': ({ root }) => process.loadEnvFile(join(root, '.env')),
  'read the users': () => fs.readFileSync('/etc/passwd'),
  'read its own environment from /proc': () => fs.readFileSync('/proc/self/environ'),
  'read the environment of the parent': () => fs.readFileSync(`/proc/${process.ppid}/environ`),
  'read the command line of the parent': () => fs.readFileSync(`/proc/${process.ppid}/cmdline`),
  'read the memory of the parent': () => fs.openSync(`/proc/${process.ppid}/mem`, 'r'),
  'list the processes': () => fs.readdirSync('/proc'),
  'list its descriptors': () => fs.readdirSync('/proc/self/fd'),
  'list the root folder': () => fs.readdirSync('/'),
  'link to a file outside': ({ folder, secret }) => fs.symlinkSync(secret, join(folder, 'link')),
  'follow a link to a file outside': ({ folder }) => fs.readFileSync(join(folder, 'given-link')),
  'copy a file outside': ({ folder, secret }) => fs.copyFileSync(secret, join(folder, 'copy')),
  'watch a folder outside': ({ folder }) => fs.watch(folder).close(),
  'change the folder': () => process.chdir('/'),
  'load a native library': ({ root }) =>
    process.dlopen(
      { exports: {} } as NodeModule,
      join(root, 'node_modules/onnxruntime-node/bin/napi-v3/linux/x64/onnxruntime_binding.node'),
    ),
  'load a native add-on of a package': () => require('argon2') as unknown,
  'open WASI': async () => {
    // Node warns on import. A static import would also warn in the test that lists the attempts.
    const name = 'node:wasi';
    const { WASI } = (await import(name)) as typeof Wasi;
    return new WASI({ version: 'preview1', preopens: { '/': '/' } });
  },
  'open the inspector': () => inspector.open(0),
  'use the inspector': () => new inspector.Session().connect(),
  'open the inspector by a signal': async () => {
    process.kill(process.pid, 'SIGUSR1');
    await pause(100);
    if (inspector.url() === undefined) throw new Error('it is not open');
  },
  'use internals of Node': () => (process as unknown as { binding(name: string): unknown }).binding('fs'),
  'write its memory to a file': ({ folder }) => writeHeapSnapshot(join(folder, 'heap')),
  'write a report to a file': ({ folder }) => process.report.writeReport(join(folder, 'report')),
  'widen its permissions': () => {
    const { permission } = process as unknown as { permission: { has(scope: string): boolean } };
    permission.has = () => true;
    return fs.readFileSync('/etc/passwd');
  },
  'signal the parent': () => process.kill(process.ppid, 0),
  'connect to a port': ({ tcpPort }) => connected(connect(tcpPort, '127.0.0.1')),
  'fetch a page': ({ tcpPort }) => fetch(`http://127.0.0.1:${tcpPort}/`),
  'send a datagram': ({ udpPort }) =>
    new Promise<void>((resolve, reject) => {
      const socket = createSocket('udp4').once('error', reject);
      socket.send('reached', udpPort, '127.0.0.1', (error) => {
        socket.close();
        if (error) reject(error);
        else resolve();
      });
    }),
  'ask a name server': async ({ udpPort }) => {
    const resolver = new Resolver({ timeout: 200, tries: 1 });
    resolver.setServers([`127.0.0.1:${udpPort}`]);
    await resolver.resolve4('reached.example');
  },
  'connect to a Unix socket': ({ unixSocket }) => connected(connect(unixSocket)),
  'listen on a Unix socket': ({ folder }) =>
    new Promise<void>((resolve, reject) => {
      const server = createServer().once('error', reject);
      server.listen(join(folder, 'socket'), () => server.close(() => resolve()));
    }),
  'listen on a port': () =>
    new Promise<void>((resolve, reject) => {
      const server = createServer().once('error', reject);
      server.listen(0, '127.0.0.1', () => server.close(() => resolve()));
    }),
};

/** What it finds without an attempt. */
export const FINDINGS: Readonly<Record<string, () => unknown>> = {
  environment: () => Object.keys(process.env).filter((name) => name !== 'NODE_V8_COVERAGE'),
  'environment in its report': () => {
    const report = process.report.getReport() as unknown as { environmentVariables: object };
    return Object.keys(report.environmentVariables).filter((name) => name !== 'NODE_V8_COVERAGE');
  },
  'environment in a snapshot of its memory': async () => {
    let text = '';
    for await (const part of getHeapSnapshot().setEncoding('latin1')) text += String(part);
    return text.includes(['a secret', 'of the parent'].join(' '));
  },
  'inherited descriptors': inherited,
};

function codeOf(error: unknown): string {
  const { code, cause, name } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  return code ?? cause?.code ?? name;
}

async function outcome(prey: Prey): Promise<string> {
  const finding = FINDINGS[prey.attempt];
  if (finding !== undefined) return JSON.stringify(await finding());
  const attempt = ATTEMPTS[prey.attempt];
  if (attempt === undefined) throw new Error(`no attempt is named ${prey.attempt}`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('no answer'), PATIENCE_MS);
  });
  try {
    return await Promise.race([Promise.resolve(attempt(prey)).then(() => 'done'), late]);
  } catch (error) {
    return codeOf(error);
  } finally {
    clearTimeout(timer);
  }
}

const takenOver: Extractor = async (content): Promise<Extraction> => {
  const prey = JSON.parse(new TextDecoder().decode(content)) as Prey;
  return { title: null, parts: [{ text: await outcome(prey), place: null }] };
};

export const EXTRACTORS: Readonly<Record<string, () => Promise<Extractor>>> = {
  'text/plain': async () => takenOver,
};
