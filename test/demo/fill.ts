import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { EmbeddingsClaimResponse } from '../../shared/schemas/embeddings.ts';
import type { Import, ImportResponse } from '../../shared/schemas/imports.ts';
import type { IngestResponse } from '../../shared/schemas/sources.ts';
import type { Status } from '../../shared/schemas/status.ts';
import type { Embedder } from '../../worker/embedder/model.ts';
import type { Client } from './client.ts';
import type { Document } from './documents.ts';
import { DemoError } from './failure.ts';
import type { Report } from './report.ts';

const POLL_MS = 200;
/** A queue in which nothing moves for so long has no worker. */
const STANDSTILL_MS = 120_000;
const IMPORTS_A_REQUEST = 10;
const CHUNKS_A_BATCH = 32;

/** Stores a text at once. The same document again replaces what it was. */
export async function ingest(client: Client, document: Document, report: Report): Promise<void> {
  const stored = await client.post<Static<typeof IngestResponse>>('/v1/memory/ingest', {
    title: document.name,
    externalId: `demo:${document.name}`,
    text: document.bytes.toString('utf8'),
    metadata: { from: 'demo' },
  });
  report.stored(
    'ingested',
    document.name,
    stored.duplicate ? 'was there already' : `${stored.chunks} passages`,
  );
}

/** Hands files to the worker and waits until it has read them all. */
export async function importAll(
  client: Client,
  documents: readonly Document[],
  report: Report,
): Promise<void> {
  const open: string[] = [];
  for (let start = 0; start < documents.length; start += IMPORTS_A_REQUEST) {
    const items = documents
      .slice(start, start + IMPORTS_A_REQUEST)
      .map(({ name, bytes }) => ({ filename: name, contentBase64: bytes.toString('base64') }));
    const { imports } = await client.post<Static<typeof ImportResponse>>('/v1/memory/imports', { items });
    open.push(...imports.map(({ id }) => id));
  }
  const total = open.length;
  let moved = Date.now();
  while (open.length > 0) {
    report.progress('imports', total - open.length, total);
    const found = await client.get<Import>(`/v1/memory/imports/${open[0]}`);
    if (found.state === 'queued' || found.state === 'running') {
      if (Date.now() - moved > STANDSTILL_MS) throw new DemoError('no import moves: is a worker running?');
      await sleep(POLL_MS);
      continue;
    }
    open.shift();
    moved = Date.now();
    const outcome = found.error === null ? found.mediaType : found.error.message;
    report.stored(found.state === 'completed' ? 'imported' : found.state, found.filename, outcome);
  }
  if (total > 0) report.progress('imports', total, total);
}

/** Makes an embedding of every chunk that has none, batch by batch, until none is left. */
export async function embedAll(client: Client, embedder: Embedder, report: Report): Promise<void> {
  const { chunks } = await client.get<Status>('/v1/memory/status');
  let done = 0;
  for (;;) {
    const { batch } = await client.post<Static<typeof EmbeddingsClaimResponse>>(
      '/v1/memory/embeddings/claim',
      {
        limit: CHUNKS_A_BATCH,
      },
    );
    if (batch === null) break;
    const embeddings: { chunkId: string; embedding: number[] }[] = [];
    for (const { chunkId, text } of batch.chunks) {
      embeddings.push({ chunkId, embedding: [...(await embedder.embed(text, 'passage'))] });
      done += 1;
      report.progress('embeddings', done, Math.max(done, chunks.pending));
    }
    await client.post('/v1/memory/embeddings/complete', {
      batchId: batch.id,
      embeddingModel: embedder.name,
      embeddingDim: 1024,
      embeddings,
    });
  }
  if (done === 0) report.progress('embeddings', 0, 0);
}
