import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ManifestItem } from '../../../../shared/schemas/workspace.ts';
import { send } from '../../app/request.ts';
import { useTeam } from '../../app/session.tsx';

type Files = ReadonlyMap<string, ManifestItem>;

interface Workspace {
  files: Files;
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
