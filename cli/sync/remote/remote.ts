import { randomUUID } from 'node:crypto';
import { readWorkspacePath } from '../../../shared/formats/workspace-path.ts';
import {
  Manifest,
  type ManifestItem,
  PullResponse,
  PushResponse,
} from '../../../shared/schemas/workspace.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { isLeftOut, scopeOf } from '../folder/names.ts';
import type { SyncState } from '../folder/state.ts';
import type { Versioned } from '../plan.ts';

const PAGE_LIMIT = 200;
/** How often a list is begun again whose scopes change while it is read. */
const LIST_TRIES = 5;
/** As long as a large body may take on a slow line. */
const TRANSFER_TIMEOUT_MS = 300_000;

/** A file as it is there. */
interface RemoteFile extends Versioned {
  bytes: number;
  updatedAt: string;
}

/** What the service has within reach, as the manifest tells it. */
export interface RemoteView {
  revision: number;
  scopes: readonly string[];
  files: Map<string, RemoteFile>;
  /** Of the files that it told of: how many are hidden or installed, and are left out. */
  leftOut: number;
  /** Paths that are not in the workspace: never written to the disk. */
  refused: string[];
  /** Whether the service knows less than it did: it was set back to an earlier day. Nothing there counts as deleted. */
  setBack: boolean;
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
 * Every page of the manifest; null where it is to be begun again, as the scopes changed in between.
 * @param since a revision after which changes are told; null for all live files
 */
async function listOnce(
  service: ServiceClient,
  since: number | null,
  tell: (read: number) => void,
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
    tell(items.length);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { revision: first.revision, scopes: first.scopes, items };
}

async function list(
  service: ServiceClient,
  since: number | null,
  tell: (read: number) => void,
): Promise<Listed> {
  for (let tries = 0; tries < LIST_TRIES; tries += 1) {
    const listed = await listOnce(service, since, tell);
    if (listed !== null) return listed;
  }
  throw new CommandError('what you may read changes too often: try again later');
}

/** Takes over what the manifest tells of files, later items last. */
function addItems(view: RemoteView, items: readonly ManifestItem[]): void {
  const reached = new Set(view.scopes);
  for (const { path, sha256, deleted, version, bytes, updatedAt } of items) {
    const read = readWorkspacePath(path);
    if (typeof read === 'string' || read.path !== path || !reached.has(scopeOf(path))) {
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
 * What is there within reach now. Where only changes are asked for, the rest is as the state has it.
 * @param whole whether all is to be listed, whatever the state has
 * @param tell hears how many files were told of so far
 */
export async function readRemote(
  service: ServiceClient,
  state: Pick<SyncState, 'revision' | 'scopes' | 'files'>,
  whole: boolean,
  tell: (read: number) => void,
): Promise<RemoteView> {
  const since = whole ? null : state.revision;
  let listed = await list(service, since, tell);
  const same = sameScopes(listed.scopes, state.scopes);
  // Of other scopes, the latest change may well be an earlier one.
  const setBack = since !== null && same && listed.revision < since;
  const partial = since !== null && same && !setBack;
  if (since !== null && !partial) listed = await list(service, null, tell);
  const { revision, scopes, items } = listed;
  const view: RemoteView = { revision, scopes, files: new Map(), leftOut: 0, refused: [], setBack };
  const reached = new Set(scopes);
  if (partial) {
    for (const [path, { version, sha256, bytes }] of state.files) {
      if (reached.has(scopeOf(path))) view.files.set(path, { version, sha256, bytes, updatedAt: '' });
    }
  }
  addItems(view, items);
  return view;
}

/** Contents by path. What is asked for and not in `files` is to be asked for again (`remaining`), or is gone. */
export function pull(service: ServiceClient, paths: readonly string[]): Promise<PullResponse> {
  const body = { files: paths.map((path) => ({ path })) };
  return service.post('/v1/workspace/pull', PullResponse, body, { timeoutMs: TRANSFER_TIMEOUT_MS });
}

/** A file as a push has it. */
export type PushedFile =
  | { path: string; baseVersion: number; contentBase64: string; sha256: string }
  | { path: string; baseVersion: number; deleted: true };

/** Sends files, all or none. The key makes one request of it, however often it is retried. */
export function push(service: ServiceClient, files: readonly PushedFile[]): Promise<PushResponse> {
  return service.post(
    '/v1/workspace/push',
    PushResponse,
    { files },
    { idempotencyKey: randomUUID(), timeoutMs: TRANSFER_TIMEOUT_MS },
  );
}
