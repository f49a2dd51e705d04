import { createHash } from 'node:crypto';
import { commitSource, type SourceDraft, type StoredDraft, stageSource } from '../../core/sources/store.ts';
import { type Database, transaction } from '../../db/driver/database.ts';
import type { NewChunk } from '../../db/queries/sources/chunks.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import { NO_PLACE } from '../../shared/schemas/sources.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { fieldsOn, fieldsText } from '../../shared/text/prepared-chunks.ts';
import { termsAndSketch } from '../../shared/text/terms/terms.ts';
import { TEST_MODEL_NAME } from './needs/database.ts';

/** A chunk as a test gives it. Without an embedding it waits for one. */
export interface GivenChunk {
  text: string;
  embedding?: Float32Array | null;
}

export interface GivenSource {
  layer: string | null;
  chunks: readonly GivenChunk[];
  title?: string;
  externalId?: string;
  tags?: readonly string[];
  model?: string;
  /** Whether its chunks are found by its title and day too, as those that the service stores. By default only by text. */
  withFields?: boolean;
  /** The day that is one of its fields, as `YYYY-MM-DD`. Today by default. */
  day?: string;
}

/** What each passage in an answer has besides its source and its text, where nothing more was given. */
export const PLAIN_PASSAGE = {
  tags: [],
  occurred_at: null,
  location: { document_title: null, ...NO_PLACE },
};

/** Chunks as ingest makes them, with their terms and those of the fields. */
export const chunksOf = (teamId: string, given: GivenSource['chunks'], fields = ''): NewChunk[] =>
  given.map(({ text, embedding }) => ({
    text,
    repeated: 0,
    place: {},
    ...termsAndSketch(teamId, text, fields),
    embedding: embedding ?? null,
  }));

/** A draft as ingest makes it: chunks with their terms, and the hash of their text. */
export function draftOf(teamId: string, given: GivenSource): SourceDraft {
  const hash = createHash('sha256');
  for (const { text } of given.chunks) hash.update(text).update('\0');
  const title = given.title ?? `Source ${newId()}`;
  const fields = fieldsOn(given.day ?? null, title, given.tags);
  return {
    layerId: given.layer ?? teamId,
    kind: 'ingest',
    title,
    uri: null,
    externalId: given.externalId ?? null,
    metadata: {},
    occurredAt: null,
    indexedAs: given.withFields === true ? fields : { title: '', date: '', labels: [] },
    tags: given.tags ?? null,
    contentHash: hash.digest(),
    model: given.model ?? TEST_MODEL_NAME,
    chunks: chunksOf(teamId, given.chunks, given.withFields === true ? fieldsText(fields, []) : ''),
  };
}

/** Stages and commits a source, and tells what became of it. */
export async function storeDraft(
  database: Database,
  scope: TeamScope,
  given: GivenSource,
): Promise<StoredDraft> {
  const staged = await stageSource(database, scope, draftOf(scope.teamId, given));
  return transaction(database, scope, (tx) => commitSource(tx, staged));
}

/** Stores a source and returns its id. */
export async function storeSource(database: Database, scope: TeamScope, given: GivenSource): Promise<string> {
  return (await storeDraft(database, scope, given)).source.id;
}

/** The unit vector along one axis: as far from every other axis as can be. */
export function axis(index: number): Float32Array {
  const vector = new Float32Array(EMBEDDING_DIM);
  vector[index] = 1;
  return vector;
}
