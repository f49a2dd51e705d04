import { Page } from '../../shared/schemas/common.ts';
import { Import } from '../../shared/schemas/imports.ts';
import { Source } from '../../shared/schemas/memory.ts';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';

const PAGE_LIMIT = 200;
/** Up to this many imports are requested one by one, without reading the list. */
const MAX_SINGLE_REQUESTS = 3;

/** The imports of one layer that the caller can see. */
export interface ImportRecords {
  /** All imports, newest first. */
  all(): AsyncGenerator<Import>;
  /** The imports with these ids. Imports that were forgotten are missing from the result. */
  find(ids: ReadonlySet<string>): Promise<Map<string, Import>>;
  /** The ids of sources that were deleted. */
  deletedSources(): Promise<Set<string>>;
}

const ImportPage = Page(Import);
const SourcePage = Page(Source);

/** @param clientId the client whose imports to read; without it, the Team layer */
export function importRecords(service: ServiceClient, clientId: string | undefined): ImportRecords {
  const layerId = clientId?.toLowerCase() ?? null;
  async function* pagesOf<Item extends { clientId: string | null }>(
    read: (query: URLSearchParams) => Promise<{ items: Item[]; nextCursor: string | null }>,
  ): AsyncGenerator<Item[]> {
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: String(PAGE_LIMIT) });
      if (clientId !== undefined) query.set('clientId', clientId);
      if (cursor !== null) query.set('cursor', cursor);
      const page: { items: Item[]; nextCursor: string | null } = await read(query);
      // Without a client, the service lists the imports of all layers that the caller can read.
      yield page.items.filter((item) => item.clientId === layerId);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
  const pages = () => pagesOf((query) => service.get(`/v1/memory/imports?${query.toString()}`, ImportPage));
  return {
    all: async function* all() {
      for await (const page of pages()) yield* page;
    },
    find: async (ids) => {
      const found = new Map<string, Import>();
      if (ids.size > MAX_SINGLE_REQUESTS) {
        for await (const page of pages()) {
          for (const item of page) if (ids.has(item.id)) found.set(item.id, item);
          if (ids.size - found.size <= MAX_SINGLE_REQUESTS) break;
        }
      }
      for (const id of ids) {
        const item = found.has(id) ? null : await findOne(service, id);
        if (item !== null) found.set(id, item);
      }
      return found;
    },
    deletedSources: async () => {
      const ids = new Set<string>();
      // Only the deleted ones: there can be many more sources that exist.
      const deleted = pagesOf((query) =>
        service.get(`/v1/memory/sources?state=archived&${query.toString()}`, SourcePage),
      );
      for await (const page of deleted) for (const { id } of page) ids.add(id);
      return ids;
    },
  };
}

/** One import, or null if it does not exist. */
async function findOne(service: ServiceClient, id: string): Promise<Import | null> {
  try {
    return await service.get(`/v1/memory/imports/${id}`, Import);
  } catch (error) {
    if (error instanceof ServiceRefusal && error.status === 404) return null;
    throw error;
  }
}

/** The earlier imports of a file. */
export interface Earlier {
  /**
   * The import that decides whether the file is sent: one that is queued or running, or whose source exists; otherwise
   * the latest one if it failed. Null if there is no such import, for example because the source was deleted.
   */
  current: Import | null;
  /** The ids of all its imports, cancelled ones too, newest first. */
  ids: string[];
}

/** Finds the earlier imports of a file: those with the same name and the same bytes. */
export type FindEarlier = (name: string, sha256: string) => Earlier;

/**
 * Reads all imports and the ids of the deleted sources, once.
 * @param onProgress is called with the number of imports read so far
 */
export async function readEarlier(
  records: ImportRecords,
  onProgress: (read: number) => void,
): Promise<FindEarlier> {
  const byFile = new Map<string, Import[]>();
  let read = 0;
  let completed = 0;
  for await (const item of records.all()) {
    read += 1;
    onProgress(read);
    if (item.state === 'completed') completed += 1;
    if (item.sha256 === null) continue;
    const key = `${item.sha256} ${item.filename}`;
    const same = byFile.get(key);
    if (same === undefined) byFile.set(key, [item]);
    else same.push(item);
  }
  const deleted = completed === 0 ? new Set<string>() : await records.deletedSources();
  // A completed import without a source id has lost its source, too.
  const ended = ({ state, sourceId }: Import) =>
    state === 'failed' || (state === 'completed' && (sourceId === null || deleted.has(sourceId)));
  return (name, sha256) => {
    const same = byFile.get(`${sha256} ${name}`) ?? [];
    const counted = same.filter(({ state }) => state !== 'cancelled');
    const alive = counted.find((item) => !ended(item));
    const latest = counted[0];
    return {
      current: alive ?? (latest?.state === 'failed' ? latest : null),
      ids: same.map(({ id }) => id),
    };
  };
}
