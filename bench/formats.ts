import { readFileSync } from 'node:fs';
import { type ImportMediaType, importMediaType } from '../shared/formats/media-types.ts';
import { newId } from '../shared/ids.ts';
import { fieldsNow } from '../shared/text/prepared-chunks.ts';
import {
  textCell,
  textRow,
  writeOpenDocument,
  writeXlsx,
} from '../test/worker/extract/office/sheet-writer.ts';
import { shape, writePptx } from '../test/worker/extract/office/slide-writer.ts';
import { openReadingPool } from '../worker/sandbox/reading-pool.ts';
import { runBench } from './support/bench.ts';
import { memoryOf } from './support/cpu.ts';

/** The defaults of MEMORY_IMPORT_SECONDS and MEMORY_IMPORT_MEGABYTES. */
const BOUNDS = { seconds: 120, megabytes: 1024 };

const HEADINGS = ['Order', 'Customer', 'Article', 'Quantity', 'Price', 'City', 'State', 'Note'];
const rowTexts = (row: number) => [
  `O-${row}`,
  `Customer ${(row * 7919) % 5003} GmbH`,
  `Pump part ${row % 307}`,
  String(row % 17),
  `${(row * 37) % 10_007}.50`,
  ['Berlin', 'Paris', 'Roma', 'Lyon'][row % 4] ?? '',
  ['open', 'sent', 'paid'][row % 3] ?? '',
  `deliver to gate ${row % 97}, ring twice`,
];
const numbers = (count: number) => [...Array(count).keys()];
const sentence = (n: number) =>
  `Sentence ${n} says that part ${(n * 7919) % 5003} of pump ${n % 97} was checked on day ${n % 31}.`;
const paragraph = (n: number) =>
  numbers(4)
    .map((each) => sentence(n * 4 + each))
    .join(' ');

/** The files, each made when it is needed: the name, the number of units, their name, and how it is made of their numbers. */
const FILES: readonly [name: string, count: number, unit: string, make: (units: number[]) => Uint8Array][] = [
  [
    'sheet.xlsx',
    200_000,
    'rows',
    (units) => {
      const rows = units.map((row) => textRow(row + 2, ...rowTexts(row)));
      return writeXlsx({ sheets: { Orders: textRow(1, ...HEADINGS) + rows.join('') } });
    },
  ],
  [
    'sheet.ods',
    200_000,
    'rows',
    (units) => {
      const row = (texts: readonly string[]) =>
        `<table:table-row>${texts.map((text) => textCell(text)).join('')}</table:table-row>`;
      const rows = row(HEADINGS) + units.map((each) => row(rowTexts(each))).join('');
      return writeOpenDocument('spreadsheet', `<table:table table:name="Orders">${rows}</table:table>`);
    },
  ],
  [
    'slides.pptx',
    2000,
    'slides',
    (units) =>
      writePptx(
        units.map((n) => ({ tree: shape([`Slide ${n}`], 'title') + shape([paragraph(n), sentence(n)]) })),
      ),
  ],
  [
    'slides.odp',
    2000,
    'slides',
    (units) => {
      const frame = (role: string, text: string) =>
        `<draw:frame presentation:class="${role}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
      const page = (n: number) =>
        `<draw:page>${frame('title', `Slide ${n}`)}${frame('outline', paragraph(n))}</draw:page>`;
      return writeOpenDocument('presentation', units.map(page).join(''));
    },
  ],
  [
    'text.odt',
    20_000,
    'paragraphs',
    (units) => writeOpenDocument('text', units.map((n) => `<text:p>${paragraph(n)}</text:p>`).join('')),
  ],
  [
    'text.rtf',
    20_000,
    'paragraphs',
    (units) => Buffer.from(`{\\rtf1\\ansi ${units.map((n) => `\\pard ${paragraph(n)}\\par\n`).join('')}}`),
  ],
];

/** The most memory that any process which this one started has used, in MiB. */
function peakMegabytes(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(/\s+/);
  return Math.max(0, ...children.map((pid) => memoryOf(Number(pid)).peak));
}

async function measure(name: string, content: Uint8Array) {
  const pool = openReadingPool(BOUNDS);
  await pool.confinement;
  const mediaType = importMediaType(name, undefined, false) satisfies ImportMediaType | null;
  const task = {
    mediaType: mediaType ?? '',
    content,
    teamId: newId(),
    fields: fieldsNow(name),
    redaction: 'flag' as const,
  };
  const reading = { report: () => undefined, signal: new AbortController().signal };
  const start = performance.now();
  try {
    return await pool.read(task, reading, ({ chunkCount }) => {
      const seconds = (performance.now() - start) / 1000;
      return Promise.resolve({ seconds, chunkCount, megabytes: peakMegabytes() });
    });
  } finally {
    await pool.close();
  }
}

await runBench(
  {
    name: 'bench:formats',
    about: `How fast office files are read and cut, and how much memory the process takes that reads them. Each file is read by a
new process, with the limits that a worker has by default. Fails if one is not read within them.`,
    options: { share: [1, 'of the size of the files'] },
    needs: ['linux'],
  },
  async ({ share }, report) => {
    report.row('file', ['MiB', 'units', 's', 'units/s', 'chunks', 'peak MiB']);
    for (const [name, count, unit, make] of FILES) {
      const units = Math.round(count * share);
      const content = make(numbers(units));
      const { seconds, chunkCount, megabytes } = await measure(name, content);
      const size = (content.length / 1024 / 1024).toFixed(1);
      report.row(`${name}, ${unit}`, [size, units, seconds, units / seconds, chunkCount, megabytes], '', 0);
    }
  },
);
