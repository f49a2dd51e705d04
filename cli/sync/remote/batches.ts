import { foldCase } from '../../../shared/formats/workspace-path.ts';
import { MAX_FILES_PER_REQUEST } from '../../../shared/schemas/workspace.ts';
import { groupBy } from '../../program/older-node.ts';
import { layerFolderOf } from '../folder/names.ts';
import type { ActionOf } from '../plan.ts';

/** A larger request would show no progress for a long time, and a lost connection would lose more. */
export const BATCH_BYTES = 16 * 1024 * 1024;

export type Push = ActionOf<'send'> | ActionOf<'delete there'>;

/** Groups a list, in its order, by the limits on items and bytes. An item above the limit is a group of its own. */
export function inBatches<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const last = batches.at(-1);
    if (last === undefined || last.length === MAX_FILES_PER_REQUEST || bytes + size > BATCH_BYTES) {
      batches.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return batches;
}

/** Finds moves: pairs of a new file and the deleted file that it replaces. Each file is in at most one pair. */
function pairs(deletions: readonly ActionOf<'delete there'>[], added: readonly ActionOf<'send'>[]) {
  const partner = new Map<Push, ActionOf<'delete there'>>();
  const used = new Set<Push>();
  // Names that differ only in case are paired first, because the service does not accept both at once.
  for (const keyOf of [({ path }: Push) => foldCase(path), ({ sha256 }: Push) => sha256]) {
    const left = groupBy(
      deletions.filter((deletion) => !used.has(deletion)),
      keyOf,
    );
    for (const action of added) {
      const deletion = partner.has(action) ? undefined : left.get(keyOf(action))?.shift();
      if (deletion === undefined) continue;
      partner.set(action, deletion);
      used.add(deletion);
    }
  }
  return { partner, used };
}

/**
 * Groups the actions into requests. A request has files of one layer only, because access is granted by layer.
 * Deletions come first. A move is in one request, so that nobody sees the file twice or not at all.
 * @param bytesOf the length of a file's content
 */
export function pushBatches(
  actions: readonly Push[],
  bytesOf: (action: ActionOf<'send'>) => number,
): Push[][] {
  return [...groupBy(actions, ({ path }) => layerFolderOf(path)).values()].flatMap((ofLayer) => {
    const deletions = ofLayer.filter((action) => action.do === 'delete there');
    const sent = ofLayer.filter((action) => action.do === 'send');
    const { partner, used } = pairs(
      deletions,
      sent.filter(({ baseVersion }) => baseVersion === 0),
    );
    const units: Push[][] = [
      ...deletions.filter((deletion) => !used.has(deletion)).map((deletion) => [deletion]),
      ...[...partner].map(([action, deletion]) => [deletion, action]),
      ...sent.filter((action) => !partner.has(action)).map((action) => [action]),
    ];
    return joinUnits(units, bytesOf);
  });
}

function joinUnits(units: readonly Push[][], bytesOf: (action: ActionOf<'send'>) => number): Push[][] {
  const batches: Push[][] = [];
  let bytes = 0;
  for (const unit of units) {
    const size = unit.reduce((sum, action) => sum + (action.do === 'send' ? bytesOf(action) : 0), 0);
    const last = batches.at(-1);
    if (
      last === undefined ||
      last.length + unit.length > MAX_FILES_PER_REQUEST ||
      bytes + size > BATCH_BYTES
    ) {
      batches.push([...unit]);
      bytes = size;
    } else {
      last.push(...unit);
      bytes += size;
    }
  }
  const isDeletion = (action: Push) => action.do === 'delete there';
  return batches.map((batch) => [
    ...batch.filter(isDeletion),
    ...batch.filter((action) => !isDeletion(action)),
  ]);
}
