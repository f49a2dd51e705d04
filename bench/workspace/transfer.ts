import { randomBytes } from 'node:crypto';
import type { PullResponse, PushedFile } from '../../shared/schemas/workspace.ts';
import { file } from '../../test/support/workspace.ts';
import { comparisonHead, type Report } from '../support/report.ts';
import type { Asking } from './asking.ts';

/** What is pushed and pulled: so many requests, of so many files, of so many bytes each. */
interface Load {
  name: string;
  requests: number;
  files: number;
  bytes: number;
}
const LOADS: readonly Load[] = [
  { name: '1,000 files of 10 KiB', requests: 5, files: 200, bytes: 10 * 1024 },
  { name: '1 file of 10 MiB', requests: 1, files: 1, bytes: 10 * 1024 * 1024 },
];
/** By how much the service may take longer than what checks nothing and no one: as many times, this is too much. */
const TOO_SLOW_PUSH = 3;
const TOO_SLOW_PULL = 2.5;

/** The service and the bare copy, each asked over a connection of its own. */
export interface Sides {
  service: Asking;
  headers: Record<string, string>;
  bare: Asking;
  rounds: number;
}

const json = (body: unknown) => Buffer.from(JSON.stringify(body));

/** Sends bodies one after the other; gives the time of all, in ms. */
async function sendAll(
  to: Asking,
  path: string,
  headers: Record<string, string>,
  bodies: readonly Buffer[],
): Promise<number> {
  let ms = 0;
  for (const body of bodies) ms += (await to.post(path, headers, body)).ms;
  return ms;
}

function* newFiles({ requests, files, bytes }: Load, round: number): Generator<PushedFile[]> {
  for (let request = 0; request < requests; request += 1) {
    yield Array.from({ length: files }, (_, n) =>
      file(`team/transfer of ${bytes}/round ${round}/${request}-${n}.bin`, randomBytes(bytes)),
    );
  }
}

/** Fails where what was pulled is not what was pushed: a quick answer may be a wrong one. */
async function assertPulled({ service, headers }: Sides, pushed: readonly PushedFile[]): Promise<void> {
  const asked = json({ files: pushed.map(({ path }) => ({ path })) });
  const { body } = await service.post('/v1/workspace/pull', headers, asked);
  const { files } = JSON.parse(body.toString()) as PullResponse;
  const right = files.every(({ contentBase64 }, index) => contentBase64 === pushed[index]?.contentBase64);
  if (files.length !== pushed.length || !right) throw new Error('another content was pulled than was pushed');
}

async function measureLoad(sides: Sides, load: Load, report: Report): Promise<void> {
  const { service, headers, bare } = sides;
  const times = { push: [], barePush: [], again: [], pull: [], barePull: [] } as Record<string, number[]>;
  for (let round = 0; round <= sides.rounds; round += 1) {
    const batches = [...newFiles(load, round)];
    const pushes = batches.map((files) => json({ files }));
    const pulls = batches.map((files) => json({ files: files.map(({ path }) => ({ path })) }));
    const barePulls = batches.map((files) => json({ sha256: files.map(({ sha256 }) => sha256) }));
    const again = batches.map((files) => json({ files: files.map((one) => ({ ...one, baseVersion: 1 })) }));
    const steps: [string, () => Promise<number>][] = [
      ['push', () => sendAll(service, '/v1/workspace/push', headers, pushes)],
      ['barePush', () => sendAll(bare, '/push', {}, pushes)],
      ['pull', () => sendAll(service, '/v1/workspace/pull', headers, pulls)],
      ['barePull', () => sendAll(bare, '/pull', {}, barePulls)],
    ];
    // The first one finds the machine in another state, so they take turns.
    const order = round % 2 === 0 ? [0, 1, 2, 3] : [1, 0, 3, 2];
    const took: Record<string, number> = {};
    for (const place of order) {
      const [name, run] = steps[place] as (typeof steps)[number];
      took[name] = await run();
    }
    await assertPulled(sides, batches[0] ?? []);
    took['again'] = await sendAll(service, '/v1/workspace/push', headers, again);
    // The first round warms up.
    if (round > 0) for (const [name, ms] of Object.entries(took)) times[name]?.push(ms);
  }
  const { push = [], barePush = [], again: repeated = [], pull = [], barePull = [] } = times;
  report.compare(`push ${load.name}`, push, barePush, TOO_SLOW_PUSH);
  report.compare(`  the same contents again`, repeated, barePush, null);
  report.compare(`pull ${load.name}`, pull, barePull, TOO_SLOW_PULL);
}

/** How long pushes and pulls take beside a bare copy of the same bytes. */
export async function measureTransfer(sides: Sides, report: Report): Promise<void> {
  report.print(comparisonHead('contents', 'service ms', 'bare ms'));
  for (const load of LOADS) await measureLoad(sides, load, report);
}
