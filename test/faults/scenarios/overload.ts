import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../support/generated-text.ts';
import { quantile, type Reply, send, tally } from '../load/client.ts';
import { searchRequest, textOf } from '../load/mixed-load.ts';
import { startSystem } from '../load/system.ts';
import type { Scenario } from '../scenario.ts';

const SOURCES = 40;
const CHUNKS_OF_SOURCE = 25;
const AT_ONCE = [1, 8, 64, 256];
const ROUND_MS = 6000;
/** Searches one at a time are as fast as before again, within this factor and time. */
const USUAL_FACTOR = 5;
const USUAL_SECONDS = 10;

export const overload: Scenario = {
  name: 'overload',
  summary: 'sends 1, 8, 64 and 256 searches at once; none gets a 5xx, and the usual times are back after it',
  limitSeconds: 240,
  run: async (context, findings) => {
    const { signal, seed } = context;
    const random = seededRandom(seed);
    const system = await startSystem(context);
    const { url } = system;
    for (let n = 0; n < SOURCES; n += 1) {
      const chunks = Array.from({ length: CHUNKS_OF_SOURCE }, (_, part) => ({
        text: textOf(`${n}-${part}`, random),
      }));
      const body = { title: `source ${n}`, chunks };
      const { status, text } = await send(url, { method: 'POST', path: '/v1/memory/ingest', body });
      if (status !== 201) throw new Error(`ingest failed: ${status} ${text}`);
    }
    const round = async (atOnce: number, ms: number): Promise<Reply[]> => {
      const replies: Reply[] = [];
      const until = performance.now() + ms;
      const loop = async () => {
        while (performance.now() < until) replies.push(await send(url, searchRequest(random)));
      };
      await Promise.all(Array.from({ length: atOnce }, loop));
      return replies;
    };
    const p50 = (replies: readonly Reply[]) =>
      quantile(
        replies.map(({ ms }) => ms),
        0.5,
      );
    await round(4, 2000);
    const usual = p50(await round(1, 2000));
    for (const atOnce of AT_ONCE) {
      const replies = await round(atOnce, ROUND_MS);
      const times = replies.map(({ ms }) => ms);
      const [half, most] = [quantile(times, 0.5), quantile(times, 0.95)];
      findings.figure(
        `${atOnce} at once: ${tally(replies)}, p50 ${half.toFixed(0)} ms, p95 ${most.toFixed(0)} ms`,
      );
      const failed = replies.filter(({ status }) => status === 0 || status >= 500);
      findings.expect(failed.length === 0, `${atOnce} searches at once: ${tally(failed)}`);
    }
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    let now = p50(await round(1, 500));
    while (now > usual * USUAL_FACTOR && seconds() < USUAL_SECONDS) {
      await sleep(200, undefined, { signal });
      now = p50(await round(1, 500));
    }
    findings.figure(`p50 of one at a time ${usual.toFixed(0)} ms before, ${now.toFixed(0)} ms after`);
    findings.expect(
      now <= usual * USUAL_FACTOR,
      `searches took ${now.toFixed(0)} ms ${USUAL_SECONDS} s after the overload, and ${usual.toFixed(0)} ms before it`,
    );
    await system.stop(findings);
  },
};
