import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ROOT } from '../../test/support/root.ts';
import { runBench } from '../support/bench.ts';
import type { Report } from '../support/report.ts';
import { judge, type Verdict } from './judge.ts';
import { MAKERS, PACKAGES } from './makers.ts';
import { openReader, type Reader } from './readers.ts';
import { makeSamples, type Sample, samplesOf } from './samples.ts';

/** How a reader has read a file. */
interface Reading {
  sample: Sample;
  verdict: Verdict;
  fault: string;
}

const PROGRAMS = Object.keys(MAKERS);
const HEADINGS = ['files', 'right', 'refused', 'missing', 'glued', 'extra', 'rows', 'titles'];

const percent = (part: number, whole: number, digits: number) =>
  whole === 0 ? '' : ((part / whole) * 100).toFixed(digits);

function addRow(report: Report, name: string, readings: readonly Reading[], remark = ''): void {
  const total = (figure: (verdict: Verdict) => number) =>
    readings.reduce((sum, { verdict }) => sum + figure(verdict), 0);
  const count = (is: (reading: Reading) => boolean) => String(readings.filter(is).length);
  const words = total((verdict) => verdict.words);
  report.row(
    name,
    [
      String(readings.length),
      count(({ verdict }) => verdict.isRight),
      count(({ fault }) => fault !== ''),
      ...(['missing', 'glued', 'extra'] as const).map((key) =>
        percent(
          total((of) => of[key]),
          words,
          2,
        ),
      ),
      percent(
        total((of) => of.labelled),
        total((of) => of.rows),
        1,
      ),
      count(({ verdict }) => !verdict.isTitleRight),
    ],
    remark,
  );
}

async function readSample({ read }: Reader, sample: Sample, folder: string): Promise<Reading> {
  const { title, text, fault } = await read(sample.file, await readFile(join(folder, sample.file)));
  return { sample, verdict: judge(sample.expected, title, text), fault };
}

/** The samples of the programs. Those that the folder does not have are made. */
async function collectSamples(programs: readonly string[], folder: string, work: string, report: Report) {
  const samples: Sample[] = [];
  for (const program of programs) {
    const maker = MAKERS[program];
    if (maker === undefined) throw new Error(`${program}: unknown program (see --help)`);
    if ((await samplesOf(program, folder)).length === 0) {
      await makeSamples(program, maker, folder, join(work, program)).catch(({ message }: Error) =>
        report.print(`${program} skipped: ${message.split('\n', 1).join()}`),
      );
    }
    samples.push(...(await samplesOf(program, folder)));
  }
  return samples;
}

await runBench(
  {
    name: 'bench:files',
    about: `How well are files other than PDFs read? Programs of this machine make files of known texts: office files, sheets, CSV in old
encodings, web pages, Markdown, source code, mail and others. Right are files of whose words at most one of a hundred is missing
and one of a hundred too many, with no word glued to another, the right title, and all rows of tables with the right labels.
In percent of the words: missing, glued (or divided), extra (such as menus, hidden text and markup). In percent of the rows of
tables: those with the right labels. titles: files with a wrong title.
A program that is not installed is skipped. On Debian: apt install ${PACKAGES}`,
    options: {
      before: ['', 'the folder of another checkout, which is measured too'],
      programs: [PROGRAMS, 'which make the files'],
      kinds: ['', 'of files, with commas between them; without it all'],
      keep: ['', 'the folder for the files. Programs that have files in it make none'],
      files: [false, 'also print a row for each file that is not read right, with what is wrong'],
    },
  },
  async ({ before, programs, kinds, keep, files }, report) => {
    const work = await mkdtemp(join(tmpdir(), 'bench-files-'));
    const folder = keep === '' ? join(work, 'kept') : resolve(keep);
    try {
      await mkdir(folder, { recursive: true });
      const readers = [
        ...(before === '' ? [] : [await openReader('before', before)]),
        await openReader('now', ROOT),
      ];
      const chosen = (kind: string) => kinds === '' || kinds.split(',').includes(kind);
      const samples = (await collectSamples(programs, folder, work, report)).filter(({ kind }) =>
        chosen(kind),
      );
      report.width = 44;
      report.row('kind, program', HEADINGS);
      const readings = readers.map((): Reading[] => []);
      const addRows = (name: string, of: (sample: Sample) => boolean) =>
        readers.forEach((reader, at) =>
          addRow(
            report,
            `${name}, ${reader.name}`,
            readings[at]!.filter(({ sample }) => of(sample)),
          ),
        );
      const byKind = Map.groupBy(samples, ({ kind }) => kind);
      for (const [kind, ofKind] of [...byKind].sort(([a], [b]) => a.localeCompare(b))) {
        for (const sample of ofKind) {
          for (const [at, reader] of readers.entries()) {
            const reading = await readSample(reader, sample, folder);
            readings[at]!.push(reading);
            if (!files || reading.verdict.isRight) continue;
            const remark = [reading.fault, ...reading.verdict.faults].filter((text) => text !== '').join(' ');
            addRow(report, `${sample.file}, ${reader.name}`, [reading], remark);
          }
        }
        for (const program of new Set(ofKind.map((sample) => sample.program))) {
          addRows(`${kind}, ${program}`, (sample) => sample.kind === kind && sample.program === program);
        }
        addRows(`${kind}, all`, (sample) => sample.kind === kind);
      }
      if (samples.length > 0) addRows('total', () => true);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  },
);
