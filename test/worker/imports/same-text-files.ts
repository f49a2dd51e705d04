import assert from 'node:assert/strict';
import type { Import } from '../../../shared/schemas/imports.ts';
import type { Hit } from '../../../shared/schemas/search.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import type { openTestApp, SignedIn } from '../../support/app.ts';
import { doJob } from '../../support/do-job.ts';

/** The text of all files. */
export const TEXT = 'The valve is shut at nine.';

/** Imports files with the same text, and reads what became of them. */
export function sameTextFiles(service: Awaited<ReturnType<typeof openTestApp>>) {
  /** Sends files, to be read later. */
  const send = async (
    company: SignedIn,
    filenames: readonly string[],
    clientId?: string,
  ): Promise<string[]> => {
    const items = filenames.map((filename) => ({ filename, text: TEXT }));
    const scope = clientId === undefined ? {} : { clientId };
    return (await company.api.importFiles({ items, scope })).imports.map(({ id }) => id);
  };

  const read = async (
    company: SignedIn,
    importId: string,
    clientId: string | null = null,
  ): Promise<Import> => {
    const { companyId, teamId, ownerId: userId } = company;
    await doJob(service.database, 'import.process', {
      companyId,
      teamId,
      userId,
      layerId: clientId ?? teamId,
      importId,
    });
    return await company.api.getImport(importId);
  };

  /** Imports files one after the other, and returns the source of each. */
  const importFiles = async (company: SignedIn, ...filenames: string[]): Promise<string[]> => {
    const sources: string[] = [];
    for (const id of await send(company, filenames)) {
      const { state, sourceId } = await read(company, id);
      assert.equal(state, 'completed');
      sources.push(sourceId ?? '');
    }
    return sources;
  };

  /** The title and `sameAs` of each active source, the oldest first. */
  const activeSources = async (company: SignedIn): Promise<[string, string | null][]> => {
    const answer = await company.ask.listSources({ state: 'active' });
    const { items } = answer.json<{ items: Source[] }>();
    return items.map(({ title, sameAs }): [string, string | null] => [title, sameAs]).toReversed();
  };

  const find = async (company: SignedIn, query: string): Promise<Hit[]> => {
    const body = { query, scope: {}, embeddingMode: 'keyword' } as const;
    return (await company.api.searchMemory(body)).hits;
  };

  return { send, read, importFiles, activeSources, find };
}
