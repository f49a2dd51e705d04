import assert from 'node:assert/strict';
import type { Chunk, Source } from '../../shared/schemas/sources.ts';
import { type Caller } from './team.ts';

/** A source as one asks for it: its chunks themselves in the place of their number. */
export type ReadSource = Omit<Source, 'chunks'> & {
  metadata: object;
  chunks: Chunk[];
  nextCursor: string | null;
};

/** Stores a text that was not there before. */
export async function addSource(caller: Caller, body: object = {}): Promise<Source> {
  return (
    await caller.api.ingestSource({
      title: 'A title',
      ...('chunks' in body ? {} : { text: `A text of ${crypto.randomUUID()}` }),
      ...body,
    })
  ).source;
}

/** The sources of one page. */
export async function listSources(caller: Caller, query = ''): Promise<Source[]> {
  const answer = await caller.send('GET', `/v1/memory/sources${query}`);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ items: Source[] }>().items;
}

/** A source with its text. */
export async function readSource(caller: Caller, id: string, query = ''): Promise<ReadSource> {
  const answer = await caller.send('GET', `/v1/memory/sources/${id}${query}`);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<ReadSource>();
}

/** Asks to archive a source, whatever comes of it. */
export function removeSource(caller: Caller, id: string) {
  return caller.ask.archiveSource(id);
}

/** Archives a source, which must come about. */
export async function archived(caller: Caller, id: string): Promise<void> {
  await caller.api.archiveSource(id);
}
