import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ManifestItem, PushedFile, WorkspaceConflict } from '../../../../shared/schemas/workspace.ts';
import { base64Of, bytesOf, sha256Of } from '../../app/content.ts';
import { useChange } from '../../app/data.ts';
import { Refusal, send } from '../../app/request.ts';
import { useTeam } from '../../app/session.tsx';
import { count } from '../../ui/text.tsx';
import { say, tell } from '../../ui/toast.tsx';
import { nameOf } from './shape.ts';

interface Workspace {
  files: ReadonlyMap<string, ManifestItem>;
  revision: number;
  /** The layers that the person can read. */
  scopes: string;
}

const LIMIT = 200;
/** How often changes of others are read; while files wait to be indexed, more often. */
const [SELDOM_MS, OFTEN_MS] = [10_000, 5_000];

const isPending = ({ indexed, deleted }: ManifestItem) => indexed === 'pending' && !deleted;

async function readManifest(team: string, query: object, signal: AbortSignal): Promise<Workspace> {
  const items: ManifestItem[] = [];
  let first: { revision: number; scopes: string[] } | undefined;
  let cursor: string | undefined;
  do {
    const page = await send(team, 'getManifest', [{ ...query, limit: LIMIT, cursor }], signal);
    first ??= page;
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return {
    files: new Map(items.map((item) => [item.path, item])),
    revision: first.revision,
    scopes: first.scopes.join(),
  };
}

/**
 * All files, which follow what others change. They are read once; afterwards only what has changed.
 * @param withDeleted whether files that are deleted are among them
 */
export function useWorkspace(withDeleted = false) {
  const team = useTeam().id;
  const client = useQueryClient();
  const key = [team, 'getManifest', 'all', withDeleted];
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const all = () => readManifest(team, withDeleted ? { since: 0 } : {}, signal);
      const known = client.getQueryData<Workspace>(key);
      if (known === undefined) return all();
      const news = await readManifest(team, { since: known.revision }, signal);
      if (news.scopes !== known.scopes) return all();
      if (news.files.size > 0) void client.invalidateQueries({ queryKey: [team, 'listFileVersions'] });
      const files = new Map([...known.files, ...news.files]);
      // That a file was indexed is no change of the workspace. Those that wait are usually those that changed last.
      if ([...files.values()].some(isPending))
        for (const item of (await send(team, 'getManifest', [{ limit: LIMIT }], signal)).items)
          if (item.version === files.get(item.path)?.version) files.set(item.path, item);
      return { ...news, files };
    },
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && [...data.files.values()].some(isPending) ? OFTEN_MS : SELDOM_MS,
  });
}

/** A file to be stored. `baseVersion` is the version that the person has seen; 0: there is no such file. */
interface NewContent {
  path: string;
  baseVersion: number;
  content: Blob;
}

async function pushedFile({ path, baseVersion, content }: NewContent): Promise<PushedFile> {
  const sha256 = await sha256Of(content);
  if (sha256 === null)
    throw new Error(
      'Browsers change files only at addresses with https. Open the console there, or sync a folder.',
    );
  return { path, baseVersion, contentBase64: await base64Of(content), sha256 };
}

/** The file that someone else has changed, if that is why a push was refused. */
export function conflictIn(error: unknown): WorkspaceConflict | undefined {
  if (!(error instanceof Refusal) || error.code !== 'workspace_conflict') return undefined;
  return (error.problem as { conflicts?: WorkspaceConflict[] }).conflicts?.[0];
}

/** What changes files. A version that is replaced stays stored, so each change can be taken back. */
export function useFileChanges() {
  const team = useTeam().id;
  const push = useChange('pushFiles', [
    'getManifest',
    'pullFiles',
    'listFileVersions',
    'listSources',
    'getStatus',
  ]);

  async function pull(path: string, version: number) {
    const { files } = await send(team, 'pullFiles', [{ files: [{ path, version }] }]);
    if (files[0] === undefined) throw new Error(`Version ${version} of ${nameOf(path)} is no longer stored.`);
    return bytesOf(files[0].contentBase64);
  }
  /** Stores files, all or none. */
  async function store(contents: readonly NewContent[]) {
    const files = await Promise.all(contents.map(pushedFile));
    const { redactions = [], files: stored } = await push.mutateAsync([{ files }]).catch((error: unknown) => {
      const { path, blockedBy } = conflictIn(error) ?? {};
      if (path === undefined || blockedBy === undefined) throw error;
      throw new Error(`${nameOf(path)} cannot be beside ${nameOf(blockedBy)}: give it another name.`);
    });
    if (redactions.length > 0)
      say(`${count(redactions.length, 'credential')} replaced before it was stored.`);
    return stored[0]?.version ?? 0;
  }
  const putBack = async (path: string, version: number, baseVersion: number) =>
    store([{ path, baseVersion, content: new Blob([await pull(path, version)]) }]);
  const erase = (path: string, baseVersion: number) =>
    push.mutateAsync([{ files: [{ path, baseVersion, deleted: true }] }]);
  return {
    isBusy: push.isPending,
    pull,
    store,
    /** Stores an old version as the newest one, with Undo. `current` is 0 if the file is deleted. */
    restore(path: string, version: number, current: number) {
      const made = putBack(path, version, current);
      const takeBack = async () =>
        current === 0 ? erase(path, await made) : putBack(path, current, await made);
      void tell(
        made,
        `Version ${version} of ${nameOf(path)} is current again.`,
        () => void tell(takeBack(), 'Taken back.'),
      );
    },
    /** Deletes a file, with Undo. */
    remove(path: string, version: number) {
      const takeBack = () => void tell(putBack(path, version, 0), 'Taken back.');
      void tell(erase(path, version), `${nameOf(path)} was deleted.`, takeBack);
    },
  };
}

export type FileChanges = ReturnType<typeof useFileChanges>;
