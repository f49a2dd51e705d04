import type { SearchReport } from '../search/report.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { median } from '../support/report.ts';
import type { Prepared, SearchCheckout } from './checkout.ts';
import { type DrawnQueries, ORDINARY } from './queries.ts';

/** Rounds that are not counted: the connection then has its plans, and the caches have the Team. */
const WARM_UP_ROUNDS = 2;
/** How often the terms of each query are made, to measure that, and before. */
const TERM_RUNS = 20;
/** What a search of ordinary length can take of before, and a short one of an ordinary one. */
const MAX_OF_BEFORE = 1.1;
const MAX_OF_ORDINARY = 1.5;

/** A checkout with a Team that it has filled. */
export interface Measured {
  checkout: SearchCheckout;
  team: FilledTeam;
}

/** Searches of one kind in one checkout. */
interface Case {
  measured: Measured;
  kind: string;
  queries: Prepared[];
  /** CPU time of making the terms of a query, which the API does, in ms. */
  terms: number;
  /** CPU time of the database for one search, in ms, by round. */
  rounds: number[];
  /** Searches with a hit, of all in one round. */
  found: number;
}

function makeCases(measured: Measured, { long, short }: DrawnQueries, hasVectors: boolean): Case[] {
  const { checkout, team } = measured;
  return [...long, ...short].map(([kind, texts]) => {
    const makeTerms = () => texts.map((text) => checkout.termsOf(team.scopes.whole, text));
    // Node compiles the code in the first runs.
    for (let run = 0; run < TERM_RUNS; run += 1) makeTerms();
    const began = process.cpuUsage();
    for (let run = 0; run < TERM_RUNS; run += 1) makeTerms();
    const { user, system } = process.cpuUsage(began);
    const terms = makeTerms();
    return {
      measured,
      kind,
      queries: terms.map((of) => ({ terms: of, embedding: hasVectors ? team.vectors.vector() : null })),
      terms: (user + system) / 1000 / texts.length / TERM_RUNS,
      rounds: [],
      found: 0,
    };
  });
}

async function measureCase({ measured: { checkout, team }, queries, rounds }: Case): Promise<number> {
  let found = 0;
  const cpu = await checkout.startTimer();
  for (const query of queries) found += (await checkout.search(team.scopes.whole, query)) > 0 ? 1 : 0;
  rounds.push(cpu() / queries.length);
  return found;
}

/**
 * Measures the CPU time of searches, kind by kind, the checkouts in turns.
 * @param filled the same texts in each checkout; the last one is held to the targets
 */
export async function measureShort(
  filled: readonly Measured[],
  drawn: DrawnQueries,
  { rounds, hasVectors }: { rounds: number; hasVectors: boolean },
  report: SearchReport,
): Promise<void> {
  const all = filled.map((measured) => makeCases(measured, drawn, hasVectors));
  const kinds = all[0]?.length ?? 0;
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (let kind = 0; kind < kinds; kind += 1) {
      // What one leaves in the caches of the processor, the other finds: so each is first in every second round.
      const pair = all.flatMap((cases) => cases[kind] ?? []);
      for (const each of round % 2 === 0 ? pair : pair.toReversed()) each.found = await measureCase(each);
    }
    if (round < 0) for (const each of all.flat()) each.rounds.length = 0;
  }
  print(all, drawn, filled[0]?.team.size ?? 0, report);
}

function print(all: readonly Case[][], drawn: DrawnQueries, size: number, report: SearchReport): void {
  const now = all.at(-1) ?? [];
  const before = all.length > 1 ? all[0] : undefined;
  const ordinary = cpuOf(now, ORDINARY);
  report.print('');
  report.row(`${size} passages, ms of CPU`, ['before', 'now', 'of before', 'of ordinary', 'found', 'terms']);
  const row = (kind: string, cpu: number, cpuBefore: number | null, others: string[], remark: string) =>
    report.row(
      kind,
      [
        cpuBefore?.toFixed(2) ?? '',
        cpu.toFixed(2),
        cpuBefore === null ? '' : (cpu / cpuBefore).toFixed(2),
        (cpu / ordinary).toFixed(2),
        ...others,
      ],
      remark,
    );
  for (const { kind, queries, found, terms } of now) {
    const cpu = cpuOf(now, kind);
    const cpuBefore = before === undefined ? null : cpuOf(before, kind);
    const name = `${kind} in ${size} passages`;
    const held = drawn.short.has(kind)
      ? report.hold(`${name}, of an ordinary one`, cpu / ordinary, MAX_OF_ORDINARY)
      : cpuBefore === null
        ? ''
        : report.hold(`${name}, of before`, cpu / cpuBefore, MAX_OF_BEFORE);
    const foundBefore = before?.find((each) => each.kind === kind)?.found;
    const hits = `${foundBefore === undefined ? '' : `${foundBefore} `}${found}/${queries.length}`;
    row(kind, cpu, cpuBefore, [hits, terms.toFixed(2)], held);
  }
  const short = meanOf(now, drawn);
  row('mean of the short ones', short, before === undefined ? null : meanOf(before, drawn), [], '');
}

function cpuOf(cases: readonly Case[], kind: string): number {
  return median(cases.find((each) => each.kind === kind)?.rounds ?? []);
}

function meanOf(cases: readonly Case[], { short }: DrawnQueries): number {
  return [...short.keys()].reduce((sum, kind) => sum + cpuOf(cases, kind), 0) / short.size;
}
