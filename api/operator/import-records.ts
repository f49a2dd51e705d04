import { Page } from '../../shared/schemas/common.ts';
import { Import } from '../../shared/schemas/imports.ts';
import { type ServiceClient, ServiceRefusal } from './service-client.ts';

const PAGE_LIMIT = 200;
/** So few are asked for one by one rather than looked for in the list. */
const FEW = 3;

/** The imports of a Team, or of one client of it, as the caller sees them. */
export interface ImportRecords {
  /** All that there are, newest first. */
  all(): AsyncGenerator<Import>;
  /** Those with these ids. One that was forgotten is missing. */
  find(ids: ReadonlySet<string>): Promise<Map<string, Import>>;
}

const ImportPage = Page(Import);

/** @param clientId the client whose imports are meant; without one, those of the Team layer */
export function importRecords(service: ServiceClient, clientId: string | undefined): ImportRecords {
  const layer = clientId?.toLowerCase() ?? null;
  async function* pages(): AsyncGenerator<Import[]> {
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: String(PAGE_LIMIT) });
      if (clientId !== undefined) query.set('clientId', clientId);
      if (cursor !== null) query.set('cursor', cursor);
      const page: { items: Import[]; nextCursor: string | null } = await service.get(
        `/v1/memory/imports?${query.toString()}`,
        ImportPage,
      );
      // Without a client, the list is of all layers within reach.
      yield page.items.filter((item) => item.clientId === layer);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
  return {
    all: async function* all() {
      for await (const page of pages()) yield* page;
    },
    find: async (ids) => {
      const found = new Map<string, Import>();
      if (ids.size > FEW) {
        for await (const page of pages()) {
          for (const item of page) if (ids.has(item.id)) found.set(item.id, item);
          if (ids.size - found.size <= FEW) break;
        }
      }
      for (const id of ids) {
        const item = found.has(id) ? null : await findOne(service, id);
        if (item !== null) found.set(id, item);
      }
      return found;
    },
  };
}

/** One import, or null where there is none. */
async function findOne(service: ServiceClient, id: string): Promise<Import | null> {
  try {
    return await service.get(`/v1/memory/imports/${id}`, Import);
  } catch (error) {
    if (error instanceof ServiceRefusal && error.status === 404) return null;
    throw error;
  }
}

/** What the service has of a file already. */
export interface Earlier {
  /** The import that stands for it: one that is under way or done, else one that failed. Null: there is none. */
  standing: Import | null;
  /** The ids of all its imports, cancelled ones too, newest first. */
  ids: string[];
}

/** Finds earlier imports of a file: of the same name, with the same bytes. */
export type FindEarlier = (name: string, sha256: string) => Earlier;

/**
 * Reads the whole list, once.
 * @param tell hears how many were read so far
 */
export async function readEarlier(
  records: ImportRecords,
  tell: (read: number) => void,
): Promise<FindEarlier> {
  const byFile = new Map<string, Import[]>();
  let read = 0;
  for await (const item of records.all()) {
    read += 1;
    tell(read);
    if (item.sha256 === null) continue;
    const key = `${item.sha256} ${item.filename}`;
    const same = byFile.get(key);
    if (same === undefined) byFile.set(key, [item]);
    else same.push(item);
  }
  return (name, sha256) => {
    const same = byFile.get(`${sha256} ${name}`) ?? [];
    const alive = same.find(({ state }) => state !== 'failed' && state !== 'cancelled');
    return {
      standing: alive ?? same.find(({ state }) => state === 'failed') ?? null,
      ids: same.map(({ id }) => id),
    };
  };
}
