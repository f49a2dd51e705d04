import { checkDeclaredModel, normalizeEmbedding } from '../../shared/embeddings.ts';
import { invalidField } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/tags.ts';
import { type Moment, parseExpiry, parseOptionalMoment } from '../../shared/formats/times.ts';
import { yieldBetweenSteps } from '../../shared/resources/yield-between-steps.ts';
import type { IngestRequest } from '../../shared/schemas/memory.ts';
import { assertMetadata } from './metadata.ts';

export interface ParsedIngest {
  body: IngestRequest;
  /** One for each chunk of the body, at unit length. Null for a chunk without a vector. */
  embeddings: readonly (Float32Array | null)[];
  /** Normalized. Null: not given. */
  tags: string[] | null;
  /** Undefined: not given; null: unknown. */
  occurredAt: Moment | null | undefined;
  /** Undefined: not given; null: never. `ingestSource` checks that it is in the future. */
  expiresAt: Date | null | undefined;
}

/**
 * Parses the body of an ingest, except its scope. The event loop turns in between, because there can be 2,000 vectors.
 * @param model of the vectors that the service stores
 * @throws ServiceError `invalid_request`, the refusals of an embedding
 */
export async function parseIngest(body: IngestRequest, model: string): Promise<ParsedIngest> {
  const { text, chunks } = body;
  if (text !== undefined && chunks !== undefined) {
    throw invalidField('/chunks', 'cannot be combined with text');
  }
  if (text === undefined && chunks === undefined) {
    throw invalidField('/text', 'is required when `chunks` is absent');
  }
  const given = chunks ?? [];
  if (given.some((chunk) => chunk.embedding !== undefined)) checkDeclaredModel(body, model);
  const embeddings: (Float32Array | null)[] = [];
  const yieldIfDue = yieldBetweenSteps();
  for (const [index, { embedding }] of given.entries()) {
    embeddings.push(
      embedding === undefined ? null : normalizeEmbedding(embedding, `/chunks/${index}/embedding`),
    );
    await yieldIfDue();
  }
  assertMetadata(body.metadata);
  return {
    body,
    embeddings,
    tags: body.tags === undefined ? null : parseTags(body.tags),
    occurredAt: parseOptionalMoment(body.occurredAt, '/occurredAt'),
    expiresAt: parseExpiry(body.expiresAt, '/expiresAt'),
  };
}
