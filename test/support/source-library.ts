import assert from 'node:assert/strict';
import type { Chunk, Source } from '../../shared/schemas/sources.ts';
import type { TestApp } from './app.ts';
import { ask } from './company.ts';
import { type Caller, post } from './team.ts';

type Asked = Pick<TestApp, 'app'>;

/** A source as one asks for it: its chunks themselves in the place of their number. */
export type ReadSource = Omit<Source, 'chunks'> & {
  metadata: object;
  chunks: Chunk[];
  nextCursor: string | null;
};

/** Stores a text that was not there before. */
export async function addSource(service: Asked, caller: Caller, body: object = {}): Promise<Source> {
  const answer = await post(service, caller, '/v1/memory/ingest', {
    title: 'A title',
    ...('chunks' in body ? {} : { text: `A text of ${crypto.randomUUID()}` }),
    ...body,
  });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json<{ source: Source }>().source;
}

/** The sources of one page. */
export async function listSources(service: Asked, caller: Caller, query = ''): Promise<Source[]> {
  const answer = await ask(service, caller, 'GET', `/v1/memory/sources${query}`);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ items: Source[] }>().items;
}

/** A source with its text. */
export async function readSource(
  service: Asked,
  caller: Caller,
  id: string,
  query = '',
): Promise<ReadSource> {
  const answer = await ask(service, caller, 'GET', `/v1/memory/sources/${id}${query}`);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<ReadSource>();
}

/** Asks to archive a source, whatever comes of it. */
export function removeSource(service: Asked, caller: Caller, id: string) {
  return ask(service, caller, 'DELETE', `/v1/memory/sources/${id}`);
}

/** Archives a source, which must come about. */
export async function archived(service: Asked, caller: Caller, id: string): Promise<void> {
  const answer = await removeSource(service, caller, id);
  assert.equal(answer.statusCode, 204, answer.body);
}
