import { checkDeclaredModel, normalizeEmbedding } from '../../shared/embeddings.ts';
import { invalidField } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/tags.ts';
import { assertFuture, type Moment, parseExpiry, parseOptionalMoment } from '../../shared/formats/times.ts';
import { yieldBetweenSteps } from '../../shared/resources/yield-between-steps.ts';
import type { ConsolidatedItem } from '../../shared/schemas/consolidation.ts';
import { type LayerId, type TeamScope, writeLayer } from '../../shared/scope.ts';
import { parseId } from '../access/parse-id.ts';
import { assertMetadata } from '../sources/metadata.ts';

/** The memory that an item becomes. */
export interface ItemText {
  state: 'review' | 'published';
  title: string;
  content: string;
  metadata: Record<string, unknown>;
  /** Normalized. */
  tags: string[];
  /** Of unit length. */
  embedding: Float32Array | null;
  supersedes: string | null;
}

/** What an item says by itself: without ids, whose records have to be looked up. */
export interface ParsedItem {
  /** In lower case, without repetitions. */
  captureIds: string[];
  /** Null: unknown. */
  occurredAt: Moment | null;
  /** Null: never. */
  expiresAt: Date | null;
  /** Null if the item is discarded. */
  text: Omit<ItemText, 'supersedes'> | null;
}

/** A parsed item of a complete, with the layer and the memory that it names. */
export interface ItemForm extends ParsedItem {
  /** The layer that the item names. Undefined if it goes to the layer of its captures. */
  namedLayerId: LayerId | undefined;
  text: ItemText | null;
}

/**
 * Parses the items of a complete, except what they name: a layer, and the memory to supersede. The event loop turns in
 * between, because the metadata of 40 items can hold 200,000 values.
 * @throws ServiceError `invalid_request`, the refusals of an embedding
 */
export async function parseItems(items: readonly ConsolidatedItem[], model: string): Promise<ParsedItem[]> {
  const superseded = items.map((item) => item.supersedes?.toLowerCase());
  const yieldIfDue = yieldBetweenSteps();
  const parsed: ParsedItem[] = [];
  for (const [index, item] of items.entries()) {
    const path = `/items/${index}`;
    const text = parseText(item, path, model);
    const id = superseded[index];
    if (id !== undefined && superseded.indexOf(id) < index) {
      throw invalidField(`${path}/supersedes`, 'is already superseded by an earlier item');
    }
    parsed.push({
      captureIds: [...new Set(item.captureIds.map((captureId) => captureId.toLowerCase()))],
      occurredAt: parseOptionalMoment(item.occurredAt, `${path}/occurredAt`) ?? null,
      expiresAt: parseExpiry(item.expiresAt, `${path}/expiresAt`) ?? null,
      text,
    });
    await yieldIfDue();
  }
  return parsed;
}

/**
 * Adds to parsed items what they name, and requires that the caller can write to the layers.
 * @throws ServiceError `scope_forbidden`, `not_found` for a malformed `supersedes`
 */
export function resolveNames(
  parsed: readonly ParsedItem[],
  items: readonly ConsolidatedItem[],
  scope: TeamScope,
): ItemForm[] {
  const layers = items.map((item) => (item.scope === undefined ? undefined : writeLayer(scope, item.scope)));
  return parsed.map(({ text, ...item }, index): ItemForm => {
    const named = items[index]?.supersedes;
    const supersedes = named === undefined ? null : parseId(named);
    return { ...item, namedLayerId: layers[index], text: text === null ? null : { ...text, supersedes } };
  });
}

function parseText(item: ConsolidatedItem, path: string, model: string): Omit<ItemText, 'supersedes'> | null {
  const { action, title, content, metadata, embedding } = item;
  assertMetadata(metadata, `${path}/metadata`);
  const tags = parseTags(item.tags ?? [], `${path}/tags`);
  if (embedding !== undefined) checkDeclaredModel(item, model, path);
  const vector = embedding === undefined ? null : normalizeEmbedding(embedding, `${path}/embedding`);
  if (item.supersedes !== undefined && action !== 'publish') {
    throw invalidField(`${path}/supersedes`, 'is allowed only with publish');
  }
  if (action === 'discard') return null;
  if (title === undefined) throw invalidField(`${path}/title`, 'is required');
  if (content === undefined) throw invalidField(`${path}/content`, 'is required');
  const state = action === 'publish' ? 'published' : 'review';
  return { state, title, content, metadata: metadata ?? {}, tags, embedding: vector };
}

/**
 * Refuses items that would be expired at once. Not for a complete that is sent again, which can come after the expiry.
 * @throws ServiceError `invalid_request`
 */
export function assertFutureItems(items: readonly ParsedItem[]): void {
  for (const [index, { expiresAt }] of items.entries()) assertFuture(expiresAt, `/items/${index}/expiresAt`);
}
