import { randomUUID } from 'node:crypto';
import { parseWorkspacePath } from '../../../shared/formats/workspace-path.ts';
import {
  Manifest,
  type ManifestItem,
  PullResponse,
  PushResponse,
} from '../../../shared/schemas/workspace.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { isLeftOut, layerFolderOf } from '../folder/names.ts';
import type { SyncState } from '../folder/state.ts';
import type { Versioned } from '../plan.ts';

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
