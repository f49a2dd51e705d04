import type { TeamTransaction } from '../../db/driver/database.ts';
import { type LeasedCapture, lockLeasedCaptures } from '../../db/queries/captures.ts';
import { lockConsolidationBatch } from '../../db/queries/consolidation.ts';
import { hasRight } from '../../shared/access.ts';
import { checkDeclaredModel, normalizeEmbedding } from '../../shared/embeddings.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/names.ts';
import { assertFuture, type Moment, parseExpiry, parseOptionalMoment } from '../../shared/formats/times.ts';
import { parseId } from '../../shared/ids.ts';
import { yieldBetweenSteps } from '../../shared/resources/async.ts';
import type { ConsolidatedItem } from '../../shared/schemas/consolidation.ts';
import { type LayerId, type TeamScope, writeLayer } from '../../shared/scope.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { canWrite, type LockedTeam } from '../access/lock-and-recheck.ts';
import { type CheckedFields, redactFields } from '../redaction/redact.ts';
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
interface ParsedItem {
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

/**
 * Checks the items of a complete for credentials. A vector that came with an item in which one was masked is dropped,
 * because it describes the credential too.
 * @param given the items of the request
 * @param parsed the same, parsed
 */
export async function redactItems(
  mode: RedactionMode,
  given: readonly ConsolidatedItem[],
  parsed: readonly ParsedItem[],
): Promise<CheckedFields<readonly ParsedItem[]>> {
  const texts = given.map(({ title, content, metadata, tags }) => ({ title, content, metadata, tags }));
  const { fields, ...checked } = await redactFields(mode, { items: texts });
  if (!checked.isMasked) return { ...checked, fields: parsed };
  const masked = parsed.map((item, index): ParsedItem => {
    const { text } = item;
    if (text === null) return item;
    const {
      title = text.title,
      content = text.content,
      metadata = {},
      tags = [],
    } = fields.items[index] ?? {};
    const isSame = title === text.title && content === text.content;
    const embedding = isSame ? text.embedding : null;
    return { ...item, text: { ...text, title, content, metadata, tags: parseTags(tags), embedding } };
  });
  return { ...checked, fields: masked };
}

/** An item with its captures, and the layer that it goes to: undefined if it discards captures of several layers. */
export type ResolvedItem<T extends ItemForm> = T & {
  captures: LeasedCapture[];
  layerId: LayerId | undefined;
};

/**
 * Finds the layer of each item: that of its captures, unless a caller with Full access names another. Locks the
 * captures of the batch.
 * @throws ServiceError `invalid_request` for an item with captures of several layers that names no layer;
 *   `scope_forbidden` if the caller cannot write to the layer of a capture or of its item; `batch_expired`
 */
export async function resolveLayers<T extends ItemForm>(
  tx: TeamTransaction,
  team: LockedTeam,
  batchId: string,
  items: readonly T[],
): Promise<ResolvedItem<T>[]> {
  const leased = new Map((await lockLeasedCaptures(tx, batchId)).map((capture) => [capture.id, capture]));
  const resolved: ResolvedItem<T>[] = [];
  for (const [index, item] of items.entries()) {
    const captures = item.captureIds.map((id) => leased.get(id)).filter((capture) => capture !== undefined);
    if (captures.length < item.captureIds.length) throw await missingCaptureError(tx, batchId);
    resolved.push({ ...item, captures, layerId: layerOfItem(team, item, captures, `/items/${index}/scope`) });
  }
  if (!(await canWrite(tx, team, layersOf(resolved)))) throw new ServiceError('scope_forbidden');
  return resolved;
}

/** The layers of these items and of their captures, with repetitions. */
export function layersOf(items: readonly Pick<ResolvedItem<ItemForm>, 'layerId' | 'captures'>[]): LayerId[] {
  const layers = items.flatMap(({ layerId, captures }) => [
    layerId,
    ...captures.map((capture) => capture.layerId),
  ]);
  return layers.filter((layerId) => layerId !== undefined);
}

function layerOfItem(
  team: LockedTeam,
  { namedLayerId, text }: ItemForm,
  captures: readonly LeasedCapture[],
  path: string,
): LayerId | undefined {
  const layers = [...new Set(captures.map(({ layerId }) => layerId))];
  const [only] = layers;
  if (!hasRight(team, 'actForOthers')) {
    // The caller can have lost Full access since it claimed the captures of others.
    const foreign = captures.some(({ createdBy }) => createdBy !== team.userId);
    if (foreign || layers.length > 1 || (namedLayerId !== undefined && namedLayerId !== only)) {
      throw new ServiceError('scope_forbidden');
    }
  }
  if (namedLayerId !== undefined) return namedLayerId;
  if (layers.length === 1) return only;
  // A text from several layers goes only where the caller says, because readers of one layer cannot read all of them.
  if (text !== null) throw invalidField(path, 'is required when the captures are in several scopes');
  return undefined;
}

/**
 * Returns the error for a capture that the batch no longer has: `batch_expired` if the lease expired after the batch was
 * checked, otherwise `scope_forbidden`, because the caller can no longer write to the layer of the capture.
 */
async function missingCaptureError(tx: TeamTransaction, batchId: string): Promise<ServiceError> {
  const batch = await lockConsolidationBatch(tx, batchId);
  return new ServiceError(batch?.expired === true ? 'batch_expired' : 'scope_forbidden');
}
