/** A file that was chosen; `name` is its path within the folder that was chosen. */
export interface Chosen {
  name: string;
  file: File;
}

const isHidden = (path: readonly string[]) =>
  path.some((part) => part.startsWith('.') || part === 'node_modules');

/**
 * The files of a field. Those of a folder are named by their path within it, as the terminal client names them, and
 * without hidden ones.
 */
export const chosenIn = (files: Iterable<File>): Chosen[] =>
  Array.from(files)
    .filter(({ webkitRelativePath: path }) => path === '' || !isHidden(path.split('/').slice(1)))
    .map((file) => ({
      name: (file.webkitRelativePath || file.name).replace(/^[^/]*\/(?=.)/, '').normalize('NFC'),
      file,
    }));

/** The files and folders that were dropped. Call it in the event: afterwards the browser has forgotten them. */
export async function droppedIn({ files, items }: DataTransfer): Promise<Chosen[]> {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.some(({ isDirectory }) => isDirectory)) return chosenIn(files);
  return (await Promise.all(entries.map((entry) => filesOf(entry, '')))).flat();
}

/** The files of an entry, at any depth. `prefix` is the path within the folder that was dropped. */
async function filesOf(entry: FileSystemEntry, prefix: string): Promise<Chosen[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
    return [{ name: (prefix + entry.name).normalize('NFC'), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Chosen[] = [];
  for (;;) {
    // The entries come in parts, until there is an empty one.
    const part = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (part.length === 0) return found;
    for (const inner of part.filter(({ name }) => !isHidden([name])))
      found.push(...(await filesOf(inner, inner.isFile ? prefix : `${prefix}${inner.name}/`)));
  }
}
