import { randomBytes } from 'node:crypto';
import type { PullResponse, PushedFile } from '../../shared/schemas/workspace.ts';
import { file } from '../../test/support/workspace.ts';
import { type Asking, bytesOf, jsonOf, succeeded } from '../support/asking.ts';
import type { Report } from '../support/report.ts';
import { inTurns } from '../support/rounds.ts';

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
  bare: Asking;
  rounds: number;
}

/** Sends bodies one after the other; gives the time of all, in ms. */
async function sendAll(to: Asking, path: string, bodies: readonly object[]): Promise<number> {
  let ms = 0;
  for (const body of bodies.map(bytesOf)) ms += succeeded(await to.ask('POST', path, body)).ms;
  return ms;
}

/** Fails where what was pulled is not what was pushed: a quick answer may be a wrong one. */
async function assertPulled(service: Asking, pushed: readonly PushedFile[]): Promise<void> {
  const asked = { files: pushed.map(({ path }) => ({ path })) };
  const { files } = jsonOf<PullResponse>(await service.ask('POST', '/v1/workspace/pull', asked));
  const right = files.every(({ contentBase64 }, index) => contentBase64 === pushed[index]?.contentBase64);
  if (files.length !== pushed.length || !right) throw new Error('another content was pulled than was pushed');
}

/** How long pushes and pulls take beside a bare copy of the same bytes. */
export async function measureTransfer({ service, bare, rounds }: Sides, report: Report): Promise<void> {
  report.row('contents', ['service ms', 'bare ms', 'ratio']);
  for (const { name, requests, files, bytes } of LOADS) {
    let batches: PushedFile[][] = [];
    let batchesOf = Number.NaN;
    /** New files in each round. The service and the bare copy get the same. */
    const filesOf = (round: number) => {
      if (round === batchesOf) return batches;
      batchesOf = round;
      const fileOf = (request: number, n: number) =>
        file(`team/transfer of ${bytes}/round ${round}/${request}-${n}.bin`, randomBytes(bytes));
      batches = Array.from({ length: requests }, (_, request) =>
        Array.from({ length: files }, (_file, n) => fileOf(request, n)),
      );
      return batches;
    };
    const sides = [
      async (round: number) => {
        const made = filesOf(round);
        const push = await sendAll(
          service,
          '/v1/workspace/push',
          made.map((all) => ({ files: all })),
        );
        const pulls = made.map((all) => ({ files: all.map(({ path }) => ({ path })) }));
        const pull = await sendAll(service, '/v1/workspace/pull', pulls);
        await assertPulled(service, made[0]!);
        const again = made.map((all) => ({ files: all.map((one) => ({ ...one, baseVersion: 1 })) }));
        return { push, pull, again: await sendAll(service, '/v1/workspace/push', again) };
      },
      async (round: number) => {
        const made = filesOf(round);
        const push = await sendAll(
          bare,
          '/push',
          made.map((all) => ({ files: all })),
        );
        const pulls = made.map((all) => ({ sha256: all.map(({ sha256 }) => sha256) }));
        return { push, pull: await sendAll(bare, '/pull', pulls), again: Number.NaN };
      },
    ];
    const [own = [], others = []] = await inTurns(sides, { rounds }, (side, round) => side(round));
    const pushes = others.map(({ push }) => push);
    report.compare(
      `push ${name}`,
      own.map(({ push }) => push),
      pushes,
      TOO_SLOW_PUSH,
    );
    report.compare(
      '  the same contents again',
      own.map(({ again }) => again),
      pushes,
      null,
    );
    const pulls = others.map(({ pull }) => pull);
    report.compare(
      `pull ${name}`,
      own.map(({ pull }) => pull),
      pulls,
      TOO_SLOW_PULL,
    );
  }
}
