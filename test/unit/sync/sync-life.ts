import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ServiceClient } from '../../../cli/client/service-client.ts';
import type { TestFolder } from './sync-folders.ts';

/*
 * The life of folders that are in sync with one workspace: people edit, remove and move files in all of them, also
 * while one of them is being synced, and syncs are interrupted. In the end all folders are alike, and hold every
 * content that no one overwrote or removed.
 */

export const FOLDERS = 3;

/** None of them excludes another: what is excluded is told and stays apart. `x` stands for a client. */
const PATHS = ['team/a.txt', 'team/b/c.txt', 'team/b/d', 'clients/x/a.txt', 'clients/x/y/z/\u00e9.md'];

const place = fc.record({ folder: fc.nat(FOLDERS - 1), path: fc.constantFrom(...PATHS) });
const change = fc.oneof(
  { weight: 3, arbitrary: place.map((at) => ({ do: 'edit', ...at }) as const) },
  { weight: 1, arbitrary: place.map((at) => ({ do: 'remove', ...at }) as const) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(place, fc.constantFrom(...PATHS))
      .map(([at, to]) => ({ do: 'move', to, ...at }) as const),
  },
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** What happens while a sync asks, before or after the request of that number: it ends, others change or sync. */
const event = fc.record({
  request: fc.nat(5),
  when: fc.constantFrom('before' as const, 'after' as const),
  what: fc.oneof(fc.constant('the end' as const), change, fc.nat(FOLDERS - 1)),
});
const sync = fc.record({
  do: fc.constant('sync' as const),
  folder: fc.nat(FOLDERS - 1),
  during: fc.option(event, { nil: null }),
});
type Sync = typeof sync extends fc.Arbitrary<infer Value> ? Value : never;

/** The steps of a life. */
export const life = fc.array(fc.oneof(change, sync), { maxLength: 40 });

/** Called at each request of a sync; a sync whose call throws ends there. */
export type OnTheWay = () => Promise<void>;

/** Where a life takes place. */
interface LifePlace {
  folders: readonly TestFolder[];
  /** The id of the client that the paths call `x`. */
  clientId: string;
  /** The service as the person of a folder reaches it. */
  service: (before: OnTheWay, after: OnTheWay) => ServiceClient;
}

/** A sync that was interrupted. */
class Ended extends Error {}

const nothing: OnTheWay = () => Promise.resolve();

class World {
  readonly #place: LifePlace;
  #written = 0;
  /** The contents that no one overwrote or removed. */
  readonly kept = new Set<string>();

  constructor(place: LifePlace) {
    this.#place = place;
  }

  #folder(n: number): TestFolder {
    const folder = this.#place.folders[n];
    assert.ok(folder);
    return folder;
  }

  #named(path: string): string {
    return path.replace('clients/x', `clients/${this.#place.clientId}`);
  }

  async change(step: Change): Promise<void> {
    const folder = this.#folder(step.folder);
    const path = this.#named(step.path);
    const tree = await folder.tree();
    const there = tree[path];
    if (step.do === 'edit') {
      if (there !== undefined) this.kept.delete(there);
      const text = `content ${(this.#written += 1)}`;
      this.kept.add(text);
      await folder.write(path, text);
    } else if (there !== undefined) {
      const to = step.do === 'move' ? this.#named(step.to) : null;
      if (to === path) return;
      const over = to === null ? there : tree[to];
      if (over !== undefined) this.kept.delete(over);
      await folder.remove(path);
      if (to !== null) await folder.write(to, there);
    }
  }

  async sync({ folder, during }: Pick<Sync, 'folder' | 'during'>): Promise<void> {
    // Two syncs of one folder at once are refused before they come to this.
    if (during?.what === folder) return;
    let asked = 0;
    const meet = (when: string) => async () => {
      if (during?.when !== when || asked++ !== during.request) return;
      if (during.what === 'the end') throw new Ended();
      if (typeof during.what === 'number') await this.sync({ folder: during.what, during: null });
      else await this.change(during.what);
    };
    try {
      const { notDone } = await this.#folder(folder).sync(this.#place.service(meet('before'), meet('after')));
      if (during === null) assert.deepEqual(notDone, []);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
  }
}

/** Lives a life, and looks at what came of it. */
export async function live(place: LifePlace, steps: readonly (Change | Sync)[]): Promise<void> {
  const { folders, service } = place;
  const world = new World(place);
  for (const step of steps) {
    if (step.do === 'sync') await world.sync(step);
    else await world.change(step);
  }
  // The first round brings everything there, the second brings it back.
  for (let round = 0; round < 2; round += 1) {
    for (const folder of folders.keys()) await world.sync({ folder, during: null });
  }
  const trees = await Promise.all(folders.map((folder) => folder.tree()));
  for (const [n, folder] of folders.entries()) {
    assert.deepEqual(trees[n], trees[0]);
    const contents = new Set(Object.values(trees[n] ?? {}));
    for (const text of world.kept) assert.ok(contents.has(text), `${text} is lost`);
    assert.deepEqual((await folder.sync(service(nothing, nothing))).changes, []);
  }
}
