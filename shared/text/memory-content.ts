import { yieldBetweenSteps } from '../resources/async.ts';
import { contentHashInTurns } from './content-hash.ts';
import { prepareBatch } from './prepare-batch.ts';
import { type ChunkInput, fieldsOn, type PreparedChunk, type SourceFields } from './prepared-chunks.ts';
import type { ChunkTerms } from './terms/terms.ts';

/** A memory that is to be prepared. */
export interface ContentInput {
  title: string;
  content: string;
  /** Of its date, `YYYY-MM-DD`; null or absent: today. */
  day?: string | null;
  /** Of its source. */
  tags?: readonly string[];
}

/** The content of a memory with everything that is stored for it, except vectors. */
export interface PreparedContent {
  content: string;
  /** The fields that find its chunks. */
  indexedAs: SourceFields;
  contentHash: Buffer;
  /** The terms of its first 8,000 characters, to find similar memories. */
  terms: ChunkTerms;
  chunks: readonly PreparedChunk[];
}

/**
 * Characters of a memory that are compared with others. More would make comparisons slow, and few memories are
 * longer.
 */
const COMPARED_CHARACTERS = 8000;

/**
 * Cuts the contents of all memories of a request and makes their terms. Slow: call it before the transaction that
 * stores them.
 * @param signal aborted when the connection of the request closes; the work then stops
 * @throws TooManyChunksError if all contents together have more chunks than one source can have
 */
export async function prepareContents(
  teamId: string,
  contents: readonly ContentInput[],
  signal?: AbortSignal,
): Promise<PreparedContent[]> {
  // Two inputs for each content: the content, and one chunk with the characters that are compared.
  const fields = contents.map(({ title, day = null, tags }) => fieldsOn(day, title, tags));
  const inputs = contents.flatMap(({ content }, index): ChunkInput[] => [
    { text: content, fields: fields[index]! },
    { chunks: [content.slice(0, COMPARED_CHARACTERS)] },
  ]);
  const prepared = await prepareBatch(teamId, inputs, signal);
  const yieldIfDue = yieldBetweenSteps();
  const all: PreparedContent[] = [];
  for (const [index, { content }] of contents.entries()) {
    const [chunks, compared] = prepared.slice(2 * index);
    if (chunks === undefined || compared?.[0] === undefined) throw new Error('a content was not prepared');
    const contentHash = await contentHashInTurns({ text: content }, yieldIfDue);
    all.push({ content, contentHash, indexedAs: fields[index]!, terms: compared[0].terms, chunks });
  }
  return all;
}

/** Like `prepareContents`, for one memory. */
export async function prepareContent(
  teamId: string,
  content: ContentInput,
  signal?: AbortSignal,
): Promise<PreparedContent> {
  const [prepared] = await prepareContents(teamId, [content], signal);
  if (prepared === undefined) throw new Error('a content was not prepared');
  return prepared;
}

/** Makes the terms of a text that compare it with memories: those of its first 8,000 characters. */
export async function comparedTerms(teamId: string, text: string, signal?: AbortSignal): Promise<ChunkTerms> {
  const [prepared] = await prepareBatch(teamId, [{ chunks: [text.slice(0, COMPARED_CHARACTERS)] }], signal);
  if (prepared?.[0] === undefined) throw new Error('a text was not prepared');
  return prepared[0].terms;
}
