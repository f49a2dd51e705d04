import { givenPaths } from '../../../core/workspace/parse-paths.ts';
import { type Database, transaction } from '../../../db/driver/database.ts';
import type { BlobStore } from '../../../db/queries/workspace/blobs.ts';
import { type ContentVersion, findContents } from '../../../db/queries/workspace/files.ts';
import type { WorkspacePath } from '../../../shared/formats/workspace-path.ts';
import { PullRequest, PullResponse } from '../../../shared/schemas/workspace.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import type { Routes } from '../../types.ts';

/** Bytes of contents that one answer holds, unless a single file has more: as much as a push can bring. */
const ANSWER_BYTES = 23 * 1024 * 1024;

/** A file that was asked for, as far as it was found. */
interface Wanted extends WorkspacePath {
  version: number | undefined;
  found: ContentVersion | null;
}

/** Whether the scope can read the layer of a path. If it cannot, or the layer does not exist, no file is found. */
function isReadable({ reads }: TeamScope, { clientId }: WorkspacePath): boolean {
  return clientId === null ? reads.team : reads.clients.includes(clientId);
}

async function find(database: Database, scope: TeamScope, files: PullRequest['files']): Promise<Wanted[]> {
  const paths = givenPaths(files);
  const wanted = paths.map((path, index) => ({ ...path, version: files[index]?.version, found: null }));
  const readable = wanted.filter((path) => isReadable(scope, path));
  const found = await transaction(database, scope, (tx) => findContents(tx, readable));
  const contents = new Map(readable.map((file, index) => [file, found[index] ?? null]));
  return wanted.map((file) => ({ ...file, found: contents.get(file) ?? null }));
}

/** As many files as one answer holds, from the first on; the others remain. */
function fit(found: readonly Wanted[]): { fitting: Wanted[]; remaining: Wanted[] } {
  let bytes = 0;
  const over = found.findIndex((file, index) => {
    bytes += file.found?.bytes ?? 0;
    return index > 0 && bytes > ANSWER_BYTES;
  });
  return over < 0
    ? { fitting: [...found], remaining: [] }
    : { fitting: found.slice(0, over), remaining: found.slice(over) };
}

async function pull(
  { database, blobs }: { database: Database; blobs: BlobStore },
  scope: TeamScope,
  files: PullRequest['files'],
): Promise<PullResponse> {
  const wanted = await find(database, scope, files);
  const { fitting, remaining } = fit(wanted.filter(({ found }) => found !== null));
  const contents = await blobs.read(
    scope,
    fitting.flatMap(({ found }) => found?.sha256 ?? []),
  );
  const missing = wanted.filter(({ found }) => found === null);
  const shown: PullResponse['files'] = [];
  for (const file of fitting) {
    const content = file.found === null ? undefined : contents.get(file.found.sha256);
    // Its last version within reach went, by pruning or with its Team, since it was found.
    if (file.found === null || content === undefined) missing.push(file);
    else {
      const { version, sha256 } = file.found;
      shown.push({ path: file.path, version, sha256, contentBase64: content.toString('base64') });
    }
  }
  const pathsOf = (some: readonly Wanted[]) => some.map(({ path }) => path);
  return { files: shown, missing: pathsOf(missing), remaining: pathsOf(remaining) };
}

/** POST /v1/workspace/pull: the contents of files, as they are or in an earlier version. */
export const pullRoute: Routes = (app, deps) => {
  app.post(
    '/v1/workspace/pull',
    {
      schema: {
        summary: 'Contents of files, by path and version',
        tags: ['workspace'],
        body: PullRequest,
        response: { 200: PullResponse },
      },
    },
    async ({ body, teamScope }) => pull(deps, teamScope, body.files),
  );
};
