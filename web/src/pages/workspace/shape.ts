import type { ManifestItem } from '../../../../shared/schemas/workspace.ts';

/** A folder or a file of the list. */
export interface Row {
  path: string;
  depth: number;
  /** What a folder has, at any depth; null: it is a file. */
  folder: { isOpen: boolean; count: number; bytes: number } | null;
  file: ManifestItem | null;
}

const IN_ORDER = new Intl.Collator('en', { numeric: true });
const byPath = (a: { path: string }, b: { path: string }) => IN_ORDER.compare(a.path, b.path);

export const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
export const isMarkdown = (path: string) => /\.(md|markdown)$/i.test(path);
export const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

/** The folder of the layer of a path: `team`, or `clients/<id>`. */
export function layerOf(path: string): string {
  const [root = '', client = ''] = path.split('/', 2);
  return root === 'clients' ? `${root}/${client}` : root;
}

/** The client of a path; null: the Team layer. */
export const clientOf = (path: string) => (path.startsWith('clients/') ? nameOf(layerOf(path)) : null);

/**
 * The path as people know it: with the name of the client in place of its id.
 * @param layer the name of a client; of null, that of the Team layer
 */
export const shownPath = (path: string, layer: (clientId: string | null) => string) =>
  layer(clientOf(path)) + path.slice(layerOf(path).length);

/** The folders that a file is in, outermost first: the layer. */
function foldersOf(path: string): string[] {
  const layer = layerOf(path);
  const below = folderOf(path).slice(layer.length).split('/').slice(1);
  return [layer, ...below.map((_, n) => [layer, ...below.slice(0, n + 1)].join('/'))];
}

/** Files without their folders, as rows. */
export const flatRows = (files: readonly ManifestItem[], depth = 0): Row[] =>
  files.toSorted(byPath).map((file) => ({ path: file.path, depth, folder: null, file }));

/**
 * The files in their folders, as rows: at the top the layers, the Team first. A closed folder has no rows in it.
 * @param toggled which folders were opened or closed; of the others, only the first layer is open
 * @param depth of how many folders all the files are inside
 */
export function treeRows(
  files: readonly ManifestItem[],
  toggled: ReadonlyMap<string, boolean>,
  depth = 0,
): Row[] {
  const inside = Map.groupBy(files, ({ path }) => foldersOf(path)[depth] ?? '');
  const folders = [...inside].filter(([path]) => path !== '').map(([path, within]) => ({ path, within }));
  folders.sort((a, b) => Number(b.path === 'team') - Number(a.path === 'team') || byPath(a, b));
  const rows = folders.flatMap(({ path, within }, index): Row[] => {
    const isOpen = toggled.get(path) ?? (depth === 0 && index === 0);
    const bytes = within.reduce((sum, file) => sum + file.bytes, 0);
    const folder = { isOpen, count: within.length, bytes };
    return [{ path, depth, folder, file: null }, ...(isOpen ? treeRows(within, toggled, depth + 1) : [])];
  });
  return [...rows, ...flatRows(inside.get('') ?? [], depth)];
}

/** As the terminal client names the local content of a conflict. */
const COPY =
  /^(?<stem>.*) \(conflict (?<author>.+) (?<day>\d{4}-\d\d-\d\d) (?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?: \d+)?\)(?<extension>\.[^.]*)?$/su;

/** Whose a conflict copy is, from when, and of which file; null if a path is none. */
export function conflictCopy(path: string): { author: string; at: string; original: string } | null {
  const found = COPY.exec(nameOf(path))?.groups;
  if (found === undefined) return null;
  const { stem, author = '', day, hour, minute, second, extension = '' } = found;
  const at = `${day}T${hour}:${minute}:${second}Z`;
  if (Number.isNaN(Date.parse(at))) return null;
  return { author, at, original: `${folderOf(path)}/${stem}${extension}` };
}

/** What the list can show besides all files. */
export const VIEWS: Readonly<Record<string, { name: string; shows: (file: ManifestItem) => boolean }>> = {
  conflicts: { name: 'Conflict copies', shows: ({ path }) => conflictCopy(path) !== null },
  pending: { name: 'Not searchable yet', shows: ({ indexed }) => indexed === 'pending' },
  failed: { name: 'Cannot be read by searches', shows: ({ indexed }) => indexed === 'failed' },
  no: { name: 'Not searched', shows: ({ indexed }) => indexed === 'no' },
  deleted: { name: 'Deleted files', shows: ({ deleted }) => deleted },
};
