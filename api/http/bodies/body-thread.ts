import { isUtf8 } from 'node:buffer';
import { workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { assertMetadata } from '../../../core/sources/metadata.ts';
import {
  checkDeclaredModel,
  type DeclaredModel,
  normalizeEmbedding,
  type SentVector,
} from '../../../shared/embeddings.ts';
import { type ErrorCode, type FieldError, ServiceError } from '../../../shared/errors.ts';
import { jsonHash } from '../../../shared/formats/json-parts.ts';
import { freeMemory } from '../../../shared/resources/process.ts';
import { schemaFault } from './body-schema.ts';
import { assertStorableBody, outlineOf } from './storable.ts';

/** What the thread knows of a route whose bodies it parses. */
export interface BodyRules {
  schema: object;
  /** The list of the body whose entries have an `embedding`; null if it has none. */
  vectorList: string | null;
  hasWorkspacePaths: boolean;
}

/** What all tasks of the thread share. */
export interface ThreadData {
  /** By the name of the route. */
  rules: ReadonlyMap<string, BodyRules>;
  embeddingModel: string;
}

/** A body to parse. Its bytes are moved to the thread. */
export interface ThreadTask {
  route: string;
  bytes: Uint8Array;
  /** Whether the hash for an Idempotency-Key is needed. */
  isHashed: boolean;
}

/** A ServiceError in a form that can be passed between threads. */
export interface PassedFault {
  code: ErrorCode;
  message: string;
  errors: readonly FieldError[] | undefined;
}

/**
 * Metadata in the form in which it is passed on: as JSON, because the receiver can parse one text after the other. All objects
 * with names of their own would be received in one step, which took 200 ms for 56,000 names.
 */
export interface PassedMetadata {
  /** The list of its entry; null if it is that of the body. */
  list: string | null;
  index: number;
  json: string;
}

/** A parsed body. */
export interface ThreadOutcome {
  /**
   * The body; it matches the schema of the route, and vectors in its list are Float32Arrays of unit length. If it has a
   * fault, only its outline; undefined if it is not JSON.
   */
  body: unknown;
  /** The metadata of the body and of the entries of its lists, where it has null. */
  metadata: PassedMetadata[];
  /** The SHA-256 of the body as it was sent, as `jsonHash` makes it. */
  hash: Uint8Array | null;
  fault: PassedFault | null;
}

type Metadata = Parameters<typeof assertMetadata>[0];

const { rules, embeddingModel } = workerData as ThreadData;

/** @throws ServiceError `invalid_request` */
function parse(bytes: Uint8Array): unknown {
  // Decoding would silently replace invalid bytes by replacement characters.
  if (!isUtf8(bytes)) throw new ServiceError('invalid_request', 'The body is not UTF-8');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  freeMemory(bytes);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ServiceError('invalid_request', 'The body is not valid JSON');
  }
}

/**
 * Refuses metadata that is too large, of a valid body and of the entries of its lists. Otherwise it would be passed on
 * with up to millions of values.
 * @throws ServiceError `invalid_request`
 */
function assertMetadataSizes(body: unknown): void {
  const fields = body as Record<string, unknown>;
  assertMetadata(fields['metadata'] as Metadata);
  for (const [name, list] of Object.entries(fields)) {
    if (!Array.isArray(list)) continue;
    for (const [index, entry] of list.entries()) {
      assertMetadata((entry as { metadata?: Metadata } | null)?.metadata, `/${name}/${index}/metadata`);
    }
  }
}

/**
 * Replaces the vectors of a valid body. Returns their buffers.
 * @throws ServiceError the refusals of an embedding
 */
function replaceVectors(body: unknown, list: string): ArrayBufferLike[] {
  const entries = (body as Record<string, unknown>)[list] as { embedding?: SentVector }[] | undefined;
  const buffers: ArrayBufferLike[] = [];
  for (const [index, entry] of (entries ?? []).entries()) {
    if (entry.embedding === undefined) continue;
    // First, because vectors of another model usually also have another length.
    if (buffers.length === 0) checkDeclaredModel(body as DeclaredModel, embeddingModel);
    const vector = normalizeEmbedding(entry.embedding, `/${list}/${index}/embedding`);
    entry.embedding = vector;
    buffers.push(vector.buffer);
  }
  return buffers;
}

/** Removes the metadata from a valid body, and returns it. */
function removeMetadata(body: unknown): PassedMetadata[] {
  const removed: PassedMetadata[] = [];
  const remove = (holder: { metadata?: unknown } | null, list: string | null, index: number) => {
    if (typeof holder?.metadata !== 'object') return;
    removed.push({ list, index, json: JSON.stringify(holder.metadata) });
    holder.metadata = null;
  };
  remove(body as object, null, 0);
  for (const [name, list] of Object.entries(body as object)) {
    if (!Array.isArray(list)) continue;
    for (const [index, entry] of list.entries()) remove(entry as object | null, name, index);
  }
  return removed;
}

function passed(error: unknown): PassedFault {
  if (!(error instanceof ServiceError)) throw error;
  const { code, message, errors } = error;
  return { code, message, errors };
}

/** An outcome in the form that the pool expects, so that it moves the buffers and does not copy them. */
function movable(outcome: ThreadOutcome, buffers: ArrayBufferLike[]): unknown {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: outcome } as unknown as Parameters<
    typeof move
  >[0]);
}

/**
 * Parses a large body and checks it as the main thread does a smaller one. Returns what is cheap to receive, because the
 * event loop of the receiver stops until it has received all of it.
 */
export default async function parseBody({ route, bytes, isHashed }: ThreadTask): Promise<unknown> {
  const { schema, vectorList, hasWorkspacePaths } = rules.get(route)!;
  let body: unknown;
  try {
    body = parse(bytes);
    assertStorableBody(body, hasWorkspacePaths);
    const refusal = schemaFault(body, schema);
    if (refusal !== null) throw refusal;
    assertMetadataSizes(body);
    const hash = isHashed ? new Uint8Array(await jsonHash(body, 'given')) : null;
    const buffers = vectorList === null ? [] : replaceVectors(body, vectorList);
    const metadata = removeMetadata(body);
    return movable({ body, metadata, hash, fault: null }, buffers);
  } catch (error) {
    const fault = passed(error);
    return { body: outlineOf(body), metadata: [], hash: null, fault } satisfies ThreadOutcome;
  }
}
