import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { freeMemory } from '../../../shared/resources/free-memory.ts';
import { EmbeddedFiles } from './files.ts';
import { joinedBytes } from './joined-bytes.ts';
import type { Asked, EngineSetup } from './messages.ts';

const { folder, snapshot } = workerData as EngineSetup;
const port = parentPort;
if (port === null) throw new Error('this file runs as a thread of its own');

const engine = await PGlite.create({
  ...(folder === null ? {} : { fs: new EmbeddedFiles(join(folder, 'postgres')) }),
  ...(snapshot === undefined ? {} : { loadDataDir: snapshot }),
  extensions: { vector },
});

port.on('message', async (asked: Asked) => {
  if (asked === 'close') {
    await engine.close();
    port.close();
  } else if (asked === 'dump') {
    port.postMessage(await engine.dumpDataDir('none'));
  } else {
    const parts: Uint8Array[] = [];
    // `execProtocolRaw` would parse each answer and never free what it parsed.
    await engine.execProtocolRawStream(asked, {
      // Files are written without this. Waiting for it could let a later message be answered first.
      syncToFs: false,
      // A copy: the engine reuses this memory.
      onRawData: (part) => parts.push(part.slice()),
    });
    freeMemory(asked);
    const answer = joinedBytes(parts);
    port.postMessage(answer, [answer.buffer]);
  }
});
port.postMessage('ready');
