import { randomUUID } from 'node:crypto';
import { foldCase, parseWorkspacePath } from '../../shared/formats/workspace-path.ts';
import {
  MAX_FILES_PER_REQUEST,
  Manifest,
  type ManifestItem,
  PullResponse,
  PushResponse,
} from '../../shared/schemas/workspace.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { groupBy } from '../program/older-node.ts';
import { CommandError } from '../terminal/command-error.ts';
import { isLeftOut, layerFolderOf } from './names.ts';
import type { ActionOf, Versioned } from './plan.ts';
import type { SyncState } from './state.ts';

const PAGE_LIMIT = 200;
/**
 * How often the list is read at most. It is read again if the layers that the caller can read change during the read.
 */
const MAX_LIST_TRIES = 5;
/** Enough time to transfer a large body over a slow connection. */
const TRANSFER_TIMEOUT_MS = 300_000;

/** A file in the service. */
interface RemoteFile extends Versioned {
  bytes: number;
  updatedAt: string;
}

/** The files in the service that the caller can read, from the manifest. */
export interface RemoteView {
  revision: number;
  /** The folders of the layers that the caller can read. The manifest names them `scopes`. */
  scopes: readonly string[];
  files: Map<string, RemoteFile>;
  /** How many files of the manifest are left out: hidden ones and those in `node_modules`. */
  leftOut: number;
  /** Paths that are not valid workspace paths. They are never written to the disk. */
  refused: string[];
  /** Whether the service was restored from an older backup. Then missing files do not count as deleted. */
  wasRestored: boolean;
}

interface Listed {
  revision: number;
  scopes: readonly string[];
  items: ManifestItem[];
}

function sameScopes(one: readonly string[], other: readonly string[]): boolean {
  const known = new Set(one);
  return one.length === other.length && other.every((scope) => known.has(scope));
}

/**
 * Reads all pages of the manifest. Null if the layers changed in the meantime: then it must be read again.
 * @param since list only changes after this revision; null lists all existing files
 */
async function listOnce(
  service: ServiceClient,
  since: number | null,
  onProgress: (read: number) => void,
): Promise<Listed | null> {
  const items: ManifestItem[] = [];
  let first: Manifest | null = null;
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: String(PAGE_LIMIT) });
    if (since !== null) query.set('since', String(since));
    if (cursor !== null) query.set('cursor', cursor);
    const page: Manifest = await service.get(`/v1/workspace/manifest?${query.toString()}`, Manifest);
    first ??= page;
    if (!sameScopes(page.scopes, first.scopes)) return null;
    for (const item of page.items) items.push(item);
    onProgress(items.length);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { revision: first.revision, scopes: first.scopes, items };
}

async function list(
  service: ServiceClient,
  since: number | null,
  onProgress: (read: number) => void,
): Promise<Listed> {
  for (let tries = 0; tries < MAX_LIST_TRIES; tries += 1) {
    const listed = await listOnce(service, since, onProgress);
    if (listed !== null) return listed;
  }
  throw new CommandError('your access changed while the files were listed: try again later');
}

/** Applies the items of the manifest to a view, in their order. */
function addItems(view: RemoteView, items: readonly ManifestItem[]): void {
  const reached = new Set(view.scopes);
  for (const { path, sha256, deleted, version, bytes, updatedAt } of items) {
    const read = parseWorkspacePath(path);
    if (typeof read === 'string' || read.path !== path || !reached.has(layerFolderOf(path))) {
      if (!deleted) view.refused.push(path);
    } else if (isLeftOut(path)) {
      if (!deleted) view.leftOut += 1;
    } else if (deleted || sha256 === null) {
      view.files.delete(path);
    } else {
      view.files.set(path, { version, sha256, bytes, updatedAt });
    }
  }
}

/**
 * Lists the files in the service that the caller can read. If possible, only the changes since the last sync are
 * requested, and the other files come from the state.
 * @param whole whether to list all files in any case
 * @param onProgress is called with the number of files listed so far
 */
export async function readRemote(
  service: ServiceClient,
  state: Pick<SyncState, 'revision' | 'scopes' | 'files'>,
  whole: boolean,
  onProgress: (read: number) => void,
): Promise<RemoteView> {
  const since = whole ? null : state.revision;
  let listed = await list(service, since, onProgress);
  const same = sameScopes(listed.scopes, state.scopes);
  // With other layers, a lower revision is normal: it is the latest change in these layers.
  const wasRestored = since !== null && same && listed.revision < since;
  const partial = since !== null && same && !wasRestored;
  if (since !== null && !partial) listed = await list(service, null, onProgress);
  const { revision, scopes, items } = listed;
  const view: RemoteView = { revision, scopes, files: new Map(), leftOut: 0, refused: [], wasRestored };
  const reached = new Set(scopes);
  if (partial) {
    for (const [path, { version, sha256, bytes }] of state.files) {
      if (reached.has(layerFolderOf(path))) view.files.set(path, { version, sha256, bytes, updatedAt: '' });
    }
  }
  addItems(view, items);
  return view;
}

/** Reads contents by path. Paths that are not in `files` must be requested again (`remaining`) or no longer exist. */
export function pull(service: ServiceClient, paths: readonly string[]): Promise<PullResponse> {
  const body = { files: paths.map((path) => ({ path })) };
  return service.post('/v1/workspace/pull', PullResponse, body, { timeoutMs: TRANSFER_TIMEOUT_MS });
}

/** A file in a push request. */
export type PushedFile =
  | { path: string; baseVersion: number; contentBase64: string; sha256: string }
  | { path: string; baseVersion: number; deleted: true };

/** Sends files, all or none. Because of the idempotency key, a retry does not apply them twice. */
export function push(service: ServiceClient, files: readonly PushedFile[]): Promise<PushResponse> {
  return service.post(
    '/v1/workspace/push',
    PushResponse,
    { files },
    { idempotencyKey: randomUUID(), timeoutMs: TRANSFER_TIMEOUT_MS },
  );
}

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
