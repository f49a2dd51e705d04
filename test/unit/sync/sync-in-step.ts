import assert from 'node:assert/strict';
import { openFolders, type TestFolder, treeOf } from './sync-folders.ts';
import { openMemoryWorkspace } from './sync-service.ts';

/** The rights of someone who reaches the Team layer alone. */
export const TEAM = { scopes: ['team'] };

/** A client's id in which case shows. */
export const CLIENT_ID = '0198c0de-aaaa-7bbb-8ccc-ddddeeeeffff';

/** What was not done, as lines. */
export function told({ notDone }: { notDone: { state: string; name: string; why: string }[] }): string[] {
  return notDone.map(({ state, name, why }) => `${state} ${name}: ${why}`);
}

/** A folder that is in step with a workspace in memory. */
interface InStep {
  workspace: ReturnType<typeof openMemoryWorkspace>;
  folder: TestFolder;
  /** Writes files there, or with null removes them, as someone else. */
  publish: (given: Record<string, string | null>) => Promise<unknown>;
}

/** Makes folders for a file's tests, and workspaces that they are in step with. Call it at file level. */
export async function openInStep() {
  const newFolder = await openFolders();
  /** A workspace with these files, and a folder that has fetched them. */
  const inStep = async (files: Record<string, string>, rights = TEAM): Promise<InStep> => {
    const workspace = openMemoryWorkspace();
    const [author, folder] = [await newFolder('Author'), await newFolder('Reader')];
    const all = { scopes: ['team', 'clients/x', `clients/${CLIENT_ID}`] };
    const publish = async (given: Record<string, string | null>) => {
      for (const [path, text] of Object.entries(given)) {
        if (text === null) await author.remove(path);
        else await author.write(path, text);
      }
      return author.sync(workspace.as(all));
    };
    await publish(files);
    await folder.sync(workspace.as(rights));
    assert.deepEqual(await treeOf(folder.folder), await treeOf(author.folder));
    return { workspace, folder, publish };
  };
  return { newFolder, inStep };
}
