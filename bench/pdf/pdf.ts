import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../test/support/root.ts';
import type { Extractor } from '../../worker/extract/extraction.ts';
import { runBench } from '../support/bench.ts';
import { median, type Report } from '../support/report.ts';
import { inTurns } from '../support/rounds.ts';
import { judge, type Verdict } from './judge.ts';
import { PACKAGES, PROGRAMS } from './programs.ts';
import { makeSamples, type Sample, samplesOf } from './samples.ts';

/** A checkout whose reader is measured. */
interface Reader {
  name: string;
  extract: Extractor;
}

/** How a reader has read a file. */
interface Reading {
  sample: Sample;
  verdict: Verdict;
  cpuMs: number;
  /** Why it was refused; empty if it was not. */
  fault: string;
}

async function openReader(name: string, folder: string): Promise<Reader> {
  const path = join(resolve(folder), 'worker/extract/pdf.ts');
  const { extractPdf } = (await import(pathToFileURL(path).href)) as { extractPdf: Extractor };
  return { name, extract: extractPdf };
}

async function readOnce({ extract }: Reader, content: Uint8Array) {
  const before = process.cpuUsage();
  const read = await Promise.resolve()
    .then(() => extract(content, () => undefined))
    .then(
      ({ parts }) => ({ text: parts.map(({ text }) => text).join('\n\n'), fault: '' }),
      (error: Error & { code?: string }) => ({ text: '', fault: error.code ?? error.message }),
    );
  const { user, system } = process.cpuUsage(before);
  return { ...read, cpuMs: (user + system) / 1000 };
}

/** Reads a file with each reader, in turns. */
async function readSample(readers: readonly Reader[], sample: Sample, folder: string, rounds: number) {
  const content = await readFile(join(folder, `${sample.name}.pdf`));
  const figures = await inTurns(readers, { rounds }, (reader) => readOnce(reader, content));
  return figures.map((reads): Reading => {
    const { text, fault } = reads[0]!;
    return {
      sample,
      verdict: judge(sample.expected, text),
      cpuMs: median(reads.map(({ cpuMs }) => cpuMs)),
      fault,
    };
  });
}

const HEADINGS = ['files', 'order', 'rows', 'cells', 'missing', 'broken', 'twice', 'ms/page', 'refused'];

const percent = (part: number, whole: number, digits: number) =>
  whole === 0 ? '' : ((part / whole) * 100).toFixed(digits);

function addRow(report: Report, name: string, readings: readonly Reading[]): void {
  const sum = (figure: (reading: Reading) => number) =>
    readings.reduce((total, reading) => total + figure(reading), 0);
  const total = (key: keyof Verdict) => sum(({ verdict }) => verdict[key]);
  const words = total('words');
  report.row(name, [
    String(readings.length),
    percent(total('ordered'), words, 2),
    percent(total('whole'), total('rows'), 1),
    percent(total('separate'), total('tableRows'), 1),
    ...(['missing', 'broken', 'twice'] as const).map((key) => percent(total(key), words, 2)),
    (sum(({ cpuMs }) => cpuMs) / sum(({ sample }) => sample.pages)).toFixed(1),
    String(readings.filter(({ fault }) => fault !== '').length),
  ]);
}

await runBench(
  {
    name: 'bench:pdf',
    about: `How well are PDFs read? Programs of this machine make PDFs of known texts: prose, columns, tables, letters, lists, in several
scripts. In percent: order, words in reading order; rows, rows of tables and of contents whose words are in one line; cells,
rows of tables whose cells are those of a Markdown row; and of the words those that are missing, broken (joined with others or
divided), or there too often. A header counts once for a document. ms/page is CPU time of this process, in turns.
A program that is not installed is skipped. On Debian: apt install ${PACKAGES}`,
    options: {
      before: ['', 'the folder of another checkout, which is measured in turns with this one'],
      programs: [PROGRAMS, 'which make the files'],
      keep: ['', 'the folder for the PDFs. Programs that have files in it make none'],
      rounds: [5, 'times that each file is read, after once to warm up'],
      files: [false, 'also print a row for each file'],
    },
  },
  async ({ before, programs, keep, rounds, files }, report) => {
    const work = await mkdtemp(join(tmpdir(), 'bench-pdf-'));
    const folder = keep === '' ? join(work, 'kept') : resolve(keep);
    try {
      await mkdir(folder, { recursive: true });
      const readers = [
        ...(before === '' ? [] : [await openReader('before', before)]),
        await openReader('now', ROOT),
      ];
      const readings = readers.map((): Reading[] => []);
      report.width = 44;
      report.row('program', HEADINGS);
      const addRows = (name: string, of: (reading: Reading) => boolean) =>
        readers.forEach((reader, at) => addRow(report, `${name}, ${reader.name}`, readings[at]!.filter(of)));
      for (const program of programs) {
        if (!PROGRAMS.includes(program)) throw new Error(`${program}: unknown program (see --help)`);
        if ((await samplesOf(program, folder)).length === 0) {
          await makeSamples(program, folder, join(work, program)).catch(({ message }: Error) =>
            report.print(`${program} skipped: ${message.split('\n', 1).join()}`),
          );
        }
        const samples = await samplesOf(program, folder);
        for (const sample of samples) {
          const read = await readSample(readers, sample, folder, rounds);
          read.forEach((reading, at) => readings[at]!.push(reading));
          if (files) addRows(sample.name, (reading) => reading.sample === sample);
        }
        if (samples.length > 0) addRows(program, ({ sample }) => sample.program === program);
      }
      if (readings[0]!.length > 0) addRows('total', () => true);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  },
);
