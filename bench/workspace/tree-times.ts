import type { Manifest, PushedFile, PushResponse } from '../../shared/schemas/workspace.ts';
import { file } from '../../test/support/workspace.ts';
import { comparisonHead, type Report } from '../support/report.ts';
import type { Asking } from './asking.ts';

const PAGE = 200;
/** The bound of the whole manifest of a large tree, in ms: 100,000 files in 6 s. */
const WHOLE_MANIFEST_MS = 6000;
/** By how much a large tree may slow what is small down: as many times, this is too much. */
const GROWS_WITH_TREE = 2;
const CHANGED = 100;
const SINCE_ROUNDS = 30;
/** A path of 40 segments, the longest that has names one can read. */
const SEGMENTS = 40;

/** A Team's workspace, as one who reaches all of it asks for it. */
export interface Tree {
  headers: Record<string, string>;
  files: number;
  /** The Team's own, and its clients. */
  layers: number;
}

/** What is measured: a large tree beside a small one, and beside a new one for each push. */
export interface Trees {
  service: Asking;
  large: Tree;
  /** As large, and of many layers. */
  divided: Tree;
  small: Tree;
  /** Makes a Team without files. */
  empty: () => Promise<Tree>;
  rounds: number;
  /** Whether times in ms are held too, and not ratios alone. */
  holdTimes: boolean;
}

async function push(
  service: Asking,
  { headers }: Tree,
  files: readonly PushedFile[],
): Promise<{ ms: number; revision: number }> {
  const { ms, body } = await service.post(
    '/v1/workspace/push',
    headers,
    Buffer.from(JSON.stringify({ files })),
  );
  return { ms, revision: (JSON.parse(body.toString()) as PushResponse).revision };
}

/** Pages through the whole manifest. */
async function measureManifest({ service, holdTimes }: Trees, tree: Tree, report: Report): Promise<void> {
  const pages: number[] = [];
  let [files, cursor] = [0, ''];
  const began = performance.now();
  do {
    const query = cursor === '' ? '' : `&cursor=${cursor}`;
    const { ms, body } = await service.get(`/v1/workspace/manifest?limit=${PAGE}${query}`, tree.headers);
    const page = JSON.parse(body.toString()) as Manifest;
    pages.push(ms);
    files += page.items.length;
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  const whole = performance.now() - began;
  if (files < tree.files) throw new Error(`the manifest has ${files} of ${tree.files} files`);
  const [first, last] = [pages[0], pages.at(-1)].map((ms = Number.NaN) => ms.toFixed(1));
  const held = report.hold('the whole manifest in ms', whole, holdTimes ? WHOLE_MANIFEST_MS : null);
  report.print(
    `manifest of ${files} files in ${tree.layers} layers: ${whole.toFixed(0)} ms, ${held}; first page ${first} ms, last page ${last} ms`,
  );
}

/** What has changed since a revision, in a large tree and in a small one. */
async function measureSince({ service, large, small }: Trees, stage: string, report: Report): Promise<void> {
  const asks: (() => Promise<number>)[] = [];
  for (const tree of [large, small]) {
    const { body } = await service.get('/v1/workspace/manifest?limit=1', tree.headers);
    const { revision } = JSON.parse(body.toString()) as Manifest;
    const changed = Array.from({ length: CHANGED }, (_, n) => file(`team/since ${stage}/${n}.md`, `${n}`));
    await push(service, tree, changed);
    asks.push(async () => {
      const url = `/v1/workspace/manifest?limit=${PAGE}&since=${revision}`;
      const answer = await service.get(url, tree.headers);
      const { items } = JSON.parse(answer.body.toString()) as Manifest;
      if (items.length !== CHANGED) throw new Error(`${items.length} files changed, and not ${CHANGED}`);
      return answer.ms;
    });
  }
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < SINCE_ROUNDS; round += 1) {
    for (const [index, ask] of asks.entries()) times[index as 0 | 1].push(await ask());
  }
  report.print(comparisonHead('', `of ${large.files}`, `of ${small.files}`));
  report.compare(`since, ${CHANGED} files changed`, ...times, GROWS_WITH_TREE);
}

/** What a push brings, by the name of a folder of its own. */
const SHAPES: readonly { name: string; paths: (folder: string) => string[] }[] = [
  { name: '1 file', paths: (folder) => [`team/${folder}/note.md`] },
  { name: '200 files', paths: (folder) => numbered((n) => `team/${folder}/note ${n}.md`) },
  {
    // No two share a folder but the first: so many names are to be looked up as can be.
    name: `200 files of ${SEGMENTS} segments`,
    paths: (folder) => {
      const deep = (n: number) => Array.from({ length: SEGMENTS - 3 }, (_, depth) => `folder ${n} ${depth}`);
      return numbered((n) => ['team', folder, ...deep(n), 'note.md'].join('/'));
    },
  },
];
const numbered = (name: (n: number) => string) => Array.from({ length: 200 }, (_, n) => name(n));

/** Pushes of new files and of the same changed, to a large tree and to an empty one. */
async function measurePushes(
  { service, large, empty, rounds }: Trees,
  stage: string,
  report: Report,
): Promise<void> {
  report.print(comparisonHead('push', `of ${large.files}`, 'of none'));
  for (const { name, paths } of SHAPES) {
    const times = { brought: [[], []], changed: [[], []] } as Record<
      'brought' | 'changed',
      [number[], number[]]
    >;
    for (let round = 0; round <= rounds; round += 1) {
      const brought = paths(`${stage} ${round}`).map((path) => file(path, `${path} is new`));
      const changed = brought.map(({ path }) => file(path, `${path} is changed`, 1));
      const trees = [large, await empty()];
      for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const first = await push(service, trees[side] as Tree, brought);
        const second = await push(service, trees[side] as Tree, changed);
        // The first round warms up.
        if (round > 0) times.brought[side].push(first.ms);
        if (round > 0) times.changed[side].push(second.ms);
      }
    }
    report.compare(`new: ${name}`, ...times.brought, GROWS_WITH_TREE);
    report.compare(`changed: ${name}`, ...times.changed, GROWS_WITH_TREE);
  }
}

/**
 * How what is asked of a tree grows with it.
 * @param stage names what is pushed, so that it is new each time
 */
export async function measureTrees(trees: Trees, stage: string, report: Report): Promise<void> {
  await measureSince(trees, stage, report);
  await measurePushes(trees, stage, report);
  await measureManifest(trees, trees.large, report);
  await measureManifest(trees, trees.divided, report);
}
