import type { Manifest, PushedFile, PushResponse } from '../../shared/schemas/workspace.ts';
import { file } from '../../test/support/workspace.ts';
import { type Asking, jsonOf } from '../support/asking.ts';
import type { Report } from '../support/report.ts';
import { inTurns, timed } from '../support/rounds.ts';

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

const push = async (service: Asking, { headers }: Tree, files: readonly PushedFile[]) => {
  const answer = await service.ask('POST', '/v1/workspace/push', { files }, headers);
  jsonOf<PushResponse>(answer);
  return answer.ms;
};

const manifest = async (service: Asking, { headers }: Tree, query: string) =>
  jsonOf<Manifest>(await service.ask('GET', `/v1/workspace/manifest?${query}`, undefined, headers));

/** Pages through the whole manifest. */
async function measureManifest({ service, holdTimes }: Trees, tree: Tree, report: Report): Promise<void> {
  let [files, cursor] = [0, ''];
  const whole = await timed(async () => {
    do {
      const page = await manifest(service, tree, `limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      files += page.items.length;
      cursor = page.nextCursor ?? '';
    } while (cursor !== '');
  });
  if (files < tree.files) throw new Error(`the manifest has ${files} of ${tree.files} files`);
  const held = report.hold('the whole manifest in ms', whole, holdTimes ? WHOLE_MANIFEST_MS : null);
  report.print(`manifest of ${files} files in ${tree.layers} layers: ${whole.toFixed(0)} ms ${held}`);
}

/** What has changed since a revision, in a large tree and in a small one. */
async function measureSince({ service, large, small }: Trees, stage: string, report: Report): Promise<void> {
  const asks: (() => Promise<unknown>)[] = [];
  for (const tree of [large, small]) {
    const { revision } = await manifest(service, tree, 'limit=1');
    const changed = Array.from({ length: CHANGED }, (_, n) => file(`team/since ${stage}/${n}.md`, `${n}`));
    await push(service, tree, changed);
    asks.push(async () => {
      const { items } = await manifest(service, tree, `limit=${PAGE}&since=${revision}`);
      if (items.length !== CHANGED) throw new Error(`${items.length} files changed, and not ${CHANGED}`);
    });
  }
  const [ofLarge = [], ofSmall = []] = await inTurns(asks, { rounds: SINCE_ROUNDS }, timed);
  report.row('', [`of ${large.files}`, `of ${small.files}`, 'ratio']);
  report.compare(`since, ${CHANGED} files changed`, ofLarge, ofSmall, GROWS_WITH_TREE);
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
  report.row('push', [`of ${large.files}`, 'of none', 'ratio']);
  for (const { name, paths } of SHAPES) {
    const trees = [() => Promise.resolve(large), empty];
    const times = await inTurns(trees, { rounds }, async (open, round) => {
      const tree = await open();
      const brought = paths(`${stage} ${round}`).map((path) => file(path, `${path} is new`));
      const changed = brought.map(({ path }) => file(path, `${path} is changed`, 1));
      return [await push(service, tree, brought), await push(service, tree, changed)];
    });
    for (const [step, what] of ['new', 'changed'].entries()) {
      const [ofLarge = [], ofNone = []] = times.map((rounded) => rounded.map((both) => both[step]!));
      report.compare(`${what}: ${name}`, ofLarge, ofNone, GROWS_WITH_TREE);
    }
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
