import { type Database, transaction } from '../../db/driver/database.ts';
import type { ListPart, VersionPart } from '../../db/queries/common.ts';
import { readList } from '../../db/queries/query-list.ts';
import {
  type ContentVersion,
  findContents,
  findRevision,
  listManifest,
  type ManifestPlace,
  listFileVersions as selectVersions,
} from '../../db/queries/workspace/files.ts';
import { BehindError, readFromReplica } from '../../db/replica/follow-replica.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { layerPrefix, parseWorkspacePath, type WorkspacePath } from '../../shared/formats/workspace-path.ts';
import { isId } from '../../shared/ids.ts';
import type { FileVersion, Manifest, PullRequest, PullResponse } from '../../shared/schemas/workspace.ts';
import { clientsIn, readsLayerOf, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { parsePaths, shownPath } from './commands.ts';
import { shownIndexState } from './indexing.ts';

/** A position in a manifest: the revision of the first page, and the last version shown. */
interface ManifestCursor {
  at: number;
  after: ManifestPlace;
}

/**
 * Parses a revision, from `since` or from a cursor.
 * @returns null if the text is not a revision
 */
function parseRevision(text: string): number | null {
  const revision = Number(text);
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(revision) ? revision : null;
}

/**
 * Parses `since` of a manifest: null if it is absent, for every live file.
 * @throws ServiceError `invalid_request`
 */
export function parseSince(since: string | undefined): number | null {
  if (since === undefined) return null;
  const revision = parseRevision(since);
  if (revision === null) throw invalidField('/since', 'must be the revision of a manifest');
  return revision;
}

/** Encodes a cursor. */
function cursorOf({ at, after }: ManifestCursor): string {
  return Buffer.from(`${at} ${after.revision} ${after.id}`, 'latin1').toString('base64url');
}

/**
 * Parses `cursor` of a manifest: null if it is absent, for the first page.
 * @throws ServiceError `invalid_request`
 */
export function parseManifestCursor(cursor: string | undefined): ManifestCursor | null {
  if (cursor === undefined) return null;
  const [first = '', last = '', id = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const [at, revision] = [parseRevision(first), parseRevision(last)];
  if (at !== null && revision !== null && isId(id)) {
    const read = { at, after: { revision, id } };
    // Decoding skips unknown characters, so that only encoding the result again shows that the cursor is valid.
    if (cursorOf(read) === cursor) return read;
  }
  throw invalidField('/cursor', 'is not a cursor of this list');
}

/** Which page of a manifest to read. */
export interface ManifestPage extends Pick<ListPart, 'limit' | 'count'> {
  /** Only what changed after this revision, deletions included; null for every live file. */
  since: number | null;
  /** Null for the first page. */
  cursor: ManifestCursor | null;
}

/**
 * Reads one page of the manifest: the files that the scope can read, as they were at the revision of the first page.
 */
export function getManifest(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  page: ManifestPage,
): Promise<Manifest> {
  const { since, cursor, limit, count } = page;
  return readFromReplica(database, scope, (from) =>
    transaction(from, scope, async (tx) => {
      const revision = cursor === null || from !== database ? await findRevision(tx) : cursor.at;
      // The caller has seen more than the replica has: the page would lack it, and the caller would not ask for it again.
      if (revision < Math.max(since ?? 0, cursor?.at ?? 0) && from !== database) throw new BehindError();
      const at = cursor?.at ?? revision;
      const after = cursor?.after ?? null;
      const found = await listManifest(tx, { since, at, after, limit: limit + 1, ...(count && { count }) });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        revision: at,
        scopes: readablePrefixes(scope),
        items: shown.map(({ item, indexed }) => ({
          ...item,
          indexed: shownIndexState(config, { ...item, indexed }),
        })),
        nextCursor: found.length > limit && last ? cursorOf({ at, after: last.place }) : null,
      };
    }),
  );
}

/** The path prefixes of the layers that the scope can read, always in the same order. */
function readablePrefixes(scope: TeamScope): string[] {
  const clients = clientsIn(scope, scope.reads).toSorted().map(layerPrefix);
  return readsLayerOf(scope, null) ? [layerPrefix(null), ...clients] : clients;
}

/** Bytes of content in one response, unless a single file has more: as much as one push can store. */
const MAX_RESPONSE_BYTES = 23 * 1024 * 1024;

/** A requested file, and its version if it was found. */
interface Requested extends WorkspacePath {
  version: number | undefined;
  found: ContentVersion | null;
}

type FoundFile = Requested & { found: ContentVersion };

/**
 * Reads the contents of files, in their current or an earlier version: as many files as fit into one response. A file whose
 * object is damaged or missing is among the remaining ones, so that the others are not lost with it.
 * @throws ServiceError `invalid_path`
 * @throws ObjectFault if none of the files can be read
 */
export async function pullFiles(
  { database, blobs }: Pick<Dependencies, 'database' | 'blobs'>,
  scope: TeamScope,
  files: PullRequest['files'],
): Promise<PullResponse> {
  const requested = await find(database, scope, files);
  const { fitting, remaining } = fit(requested.filter((file): file is FoundFile => file.found !== null));
  const contents = await blobs.read(
    scope,
    fitting.map(({ found }) => found.sha256),
  );
  const missing = requested.filter(({ found }) => found === null);
  const shown: PullResponse['files'] = [];
  const unreadable: FoundFile[] = [];
  for (const file of fitting) {
    const { version, sha256 } = file.found;
    const content = contents.get(sha256);
    // The last version that the caller can read has been pruned, or deleted with its Team, since it was found.
    if (content === undefined) missing.push(file);
    else if (content === null) unreadable.push(file);
    else shown.push({ path: file.path, version, sha256, contentBase64: content.toString('base64') });
  }
  const pathsOf = (some: readonly Requested[]) => some.map(({ path }) => path);
  return { files: shown, missing: pathsOf(missing), remaining: pathsOf([...unreadable, ...remaining]) };
}

async function find(database: Database, scope: TeamScope, files: PullRequest['files']): Promise<Requested[]> {
  const paths = parsePaths(files);
  const requested = paths.map((path, index) => ({ ...path, version: files[index]?.version }));
  const readable = requested.filter((path) => isReadable(scope, path));
  const found = await transaction(database, scope, (tx) => findContents(tx, readable));
  const contents = new Map(readable.map((file, index) => [file, found[index] ?? null]));
  return requested.map((file) => ({ ...file, found: contents.get(file) ?? null }));
}

/** Whether the scope can read the layer of a path. If it cannot, or the layer does not exist, no file is found. */
function isReadable(scope: TeamScope, { clientId }: WorkspacePath): boolean {
  return readsLayerOf(scope, clientId);
}

/** Splits files into the first ones, which fit into one response, and the others. */
function fit(files: readonly FoundFile[]): { fitting: FoundFile[]; remaining: FoundFile[] } {
  let bytes = 0;
  const over = files.findIndex(({ found }, index) => {
    bytes += found.bytes;
    return index > 0 && bytes > MAX_RESPONSE_BYTES;
  });
  const end = over < 0 ? files.length : over;
  return { fitting: files.slice(0, end), remaining: files.slice(end) };
}

/**
 * Parses the path of a file that a query names.
 * @throws ServiceError `invalid_path`
 */
export function parseQueryPath(path: string): WorkspacePath {
  const parsed = parseWorkspacePath(path);
  if (typeof parsed !== 'string') return parsed;
  const error = { path: '/path', message: `${shownPath(path)} ${parsed}` };
  throw new ServiceError('invalid_path', `${error.path}: ${error.message}`, { errors: [error] });
}

/**
 * Lists the stored versions of a file, newest first, also of a deleted one.
 * @param part versions lower than `before`, at most `limit`
 * @throws ServiceError `not_found` if the path has never had a file, or the caller cannot read it
 */
export async function listFileVersions(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  path: WorkspacePath,
  { limit, ...part }: VersionPart,
): Promise<{ items: FileVersion[]; hasMore: boolean }> {
  if (!isReadable(scope, path)) throw new ServiceError('not_found');
  const found = await readFromReplica(database, scope, async (from) => {
    const versions = await readList(from, scope, part, (tx) =>
      selectVersions(tx, path, { ...part, limit: limit + 1 }),
    );
    // The page after the last version can be empty, because versions are pruned.
    if (versions.length === 0 && part.before === null) throw new ServiceError('not_found');
    return versions;
  });
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}
