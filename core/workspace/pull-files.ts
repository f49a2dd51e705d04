import { type Database, transaction } from '../../db/driver/database.ts';
import { type ContentVersion, findContents } from '../../db/queries/workspace/files.ts';
import type { WorkspacePath } from '../../shared/formats/workspace-path.ts';
import type { PullRequest, PullResponse } from '../../shared/schemas/workspace.ts';
import { readsLayerOf, type TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { parsePaths } from './parse-paths.ts';

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
export function isReadable(scope: TeamScope, { clientId }: WorkspacePath): boolean {
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
