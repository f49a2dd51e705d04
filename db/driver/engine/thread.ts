import { on } from 'node:events';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { freeMemory } from '../../../shared/resources/process.ts';
import { checkpointIfDue, LOG_SETTINGS, transactionStatus } from './checkpoints.ts';
import { EmbeddedFiles } from './files.ts';
import { type Asked, type EngineSetup, joinedBytes } from './messages.ts';

const { folder, snapshot, checkpointBytes } = workerData as EngineSetup;
const port = parentPort;
if (port === null) throw new Error('this file runs as a thread of its own');

const files = folder === null ? null : new EmbeddedFiles(join(folder, 'postgres'));
const engine = await PGlite.create({
  ...(files === null ? {} : { fs: files }),
  ...(snapshot === undefined ? {} : { loadDataDir: snapshot }),
  extensions: { vector },
  startParams: [...PGlite.defaultStartParams, ...LOG_SETTINGS],
});

async function run(messages: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  // `execProtocolRaw` would parse each answer and never free what it parsed.
  await engine.execProtocolRawStream(messages, {
    // Files are written without this.
    syncToFs: false,
    // A copy: the engine reuses this memory.
    onRawData: (part) => parts.push(part.slice()),
  });
  freeMemory(messages);
  return joinedBytes(parts);
}

port.postMessage('ready');
// One after another: a checkpoint must not run in a transaction that a later message begins.
for await (const [asked] of on(port, 'message') as AsyncIterable<[Asked]>) {
  if (asked === 'close') break;
  if (asked === 'dump') {
    port.postMessage(await engine.dumpDataDir('none'));
    continue;
  }
  const answer = await run(asked);
  const status = transactionStatus(answer);
  port.postMessage(answer, [answer.buffer]);
  if (files !== null) await checkpointIfDue(engine, files, status, checkpointBytes);
}
await engine.close();
port.close();
