import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../support/generated-text.ts';
import type { ServiceProcess } from '../../support/needs/process.ts';
import type { Findings, ScenarioContext } from '../scenario.ts';
import { get, quantile, type Reply, send, tally, untilReply } from './client.ts';
import { Ledger } from './ledger.ts';
import { loadFigures, searchRequest, startLoad, textOf } from './mixed-load.ts';
import { mountSmallDisk } from './small-disk.ts';
import { embeddedService, terminateAll } from './system.ts';
import { expectLedger } from './under-load.ts';

const DISK_MB = 384;
/** Free space that the service is told to keep. */
const MIN_FREE_MB = 48;
/** A response comes within this time, however full the disk is. */
const RESPONSE_MS = 5000;
/** How long the service can take to notice that the disk is full, and that it has space again. */
const NOTICE_MS = 30_000;
const ROUNDS = 8;

/** Ingests of large texts at most, until the database itself has filled the rest. */
const MOST_INGESTS = 400;

/** An ingest of a text of many words. Its title is not in the ledger. */
async function ingestLarge(url: string, title: string, random: () => number): Promise<Reply> {
  const body = { title, text: textOf(title, random, 20_000) };
  return send(url, { method: 'POST', path: '/v1/memory/ingest', body }, RESPONSE_MS * 4);
}

/** Sends writes, searches and reads to a service whose disk is full, and expects what holds for each. */
async function probe(url: string, findings: Findings, random: () => number): Promise<void> {
  const refused: Reply[] = [];
  const answered: Reply[] = [];
  const began = performance.now();
  const write = (n: number) =>
    send(
      url,
      {
        method: 'POST',
        path: '/v1/memory/ingest',
        body: { title: `full ${n}`, text: textOf(`full ${n}`, random) },
      },
      RESPONSE_MS,
    );
  // Space that is left can take some more writes.
  while ((await write(-1 - refused.length)).status === 201) {
    if (performance.now() - began > NOTICE_MS) break;
    await sleep(50);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const [changed, searched, listed, alive] = await Promise.all([
      write(round),
      send(url, searchRequest(random), RESPONSE_MS),
      get(url, '/v1/memory/sources', RESPONSE_MS),
      get(url, '/livez', RESPONSE_MS),
    ]);
    refused.push(changed, searched);
    answered.push(listed, alive);
    await sleep(500);
  }
  const slowest = quantile(
    [...refused, ...answered].map(({ ms }) => ms),
    1,
  );
  findings.figure(
    `while full: changes and searches ${tally(refused)}, lists and /livez ${tally(answered)}, slowest ${slowest.toFixed(0)} ms`,
  );
  const others = refused.filter(({ status }) => status !== 503);
  findings.expect(others.length === 0, `changes and searches on a full disk got ${tally(others)}`);
  const failed = answered.filter(({ status }) => status !== 200);
  findings.expect(failed.length === 0, `lists and /livez on a full disk got ${tally(failed)}`);
}

/** The exit code of a process that has ended, or undefined. */
async function endOf(service: ServiceProcess): Promise<number | NodeJS.Signals | undefined> {
  return Promise.race([service.exited, sleep(1000, undefined)]);
}

/**
 * Fills the disk of an embedded service and frees it again.
 * @param leaveBytes how much another program leaves: the database fills the rest itself
 */
export async function fullDisk(
  context: ScenarioContext,
  findings: Findings,
  leaveBytes: number,
): Promise<void> {
  const { signal, seed } = context;
  const random = seededRandom(seed);
  const disk = await mountSmallDisk(context, DISK_MB);
  const env = { MEMORY_MIN_FREE_DISK_MB: String(MIN_FREE_MB) };
  const embedded = await embeddedService(join(disk.folder, 'data'), env);
  const { url } = embedded;
  let service = await embedded.start();
  const ledger = new Ledger();
  const load = startLoad({ urls: [url], ledger, seed, loops: 3 });
  await sleep(3000, undefined, { signal });
  await disk.fill(leaveBytes);
  for (let n = 0; n < MOST_INGESTS; n += 1) {
    signal.throwIfAborted();
    if ((await ingestLarge(url, `large ${n}`, random)).status !== 201) break;
  }
  const free = (await disk.freeBytes()) / 2 ** 20;
  findings.figure(`${free.toFixed(0)} of ${DISK_MB} MB free`);
  // Requests of the load are under way when the disk becomes full.
  await sleep(2000, undefined, { signal });
  const stopped = load.stop();
  const ended = await endOf(service);
  if (ended === undefined) await probe(url, findings, random);
  await disk.clear();

  const end = await endOf(service);
  if (end !== undefined) {
    const message = service.stderr.at(-1) ?? '';
    findings.figure(`ended with ${end}: ${message}`);
    findings.expect(end === 1, `the process ended with ${end} instead of 1`);
    findings.expect(/disk|space/i.test(message), 'the process ended without a message about the disk');
    service = await embedded.start();
  }
  const back = await Promise.race([
    untilReply(url, '/readyz', signal).then(async (ms) => {
      while ((await ingestLarge(url, `after ${ms}`, random)).status >= 300)
        await sleep(100, undefined, { signal });
      return ms;
    }),
    sleep(NOTICE_MS, undefined, { ref: false }),
  ]);
  findings.expect(
    back !== undefined,
    `no change succeeded ${NOTICE_MS / 1000} s after there was space again`,
  );
  if (back === undefined) {
    // What was acknowledged must be there even so.
    await service.kill9();
    service = await embedded.start();
  }
  await stopped;
  findings.figure(loadFigures(load.replies));
  await expectLedger(findings, ledger, url, signal);
  await terminateAll([['service', service]], findings);
}
