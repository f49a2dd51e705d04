import { readFileSync } from 'node:fs';
import { type ImportMediaType, importMediaType } from '../shared/formats/media-types.ts';
import { newId } from '../shared/ids.ts';
import { fieldsNow } from '../shared/text/prepared-chunks.ts';
import { type PdfAnnotation, type PdfTextLine, pdfText, writePdf } from '../test/support/pdf-writer.ts';
import {
  textCell,
  textRow,
  writeOpenDocument,
  writeXlsx,
} from '../test/worker/extract/office/sheet-writer.ts';
import { shape, writePptx } from '../test/worker/extract/office/slide-writer.ts';
import { openReadingPool } from '../worker/sandbox/reading-pool.ts';
import { runBench } from './support/bench.ts';
import { cpuMs, memoryOf } from './support/cpu.ts';

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

/** How many letters of 9 points fit into one of two columns of a page. */
const COLUMN_LETTERS = 52;

/** Lines of words, each at most as wide as a column. */
const columnLines = (text: string) =>
  text.match(new RegExp(`\\S.{0,${COLUMN_LETTERS - 1}}(?= |$)`, 'g')) ?? [];

/** More paragraphs than fill a page. */
const PAGE_PARAGRAPHS = 20;

/** A page of running text in two columns of 50 lines. */
function columnsPage(n: number): PdfTextLine[] {
  const lines = columnLines(
    numbers(PAGE_PARAGRAPHS)
      .map((each) => paragraph(n * PAGE_PARAGRAPHS + each))
      .join(' '),
  );
  return lines
    .slice(0, 100)
    .map((text, at) => ({ x: at < 50 ? 50 : 310, y: 780 - 14 * (at % 50), size: 9, bytes: text }));
}

const TABLE_COLUMNS = [50, 110, 240, 350, 410, 480];
const TABLE_ROWS = 40;
const tableTop = (row: number) => 790 - 18 * row;

/** A page of a table with a heading row. */
const tablePage = (n: number): PdfTextLine[] =>
  numbers(TABLE_ROWS).flatMap((row) => {
    const cells = row === 0 ? HEADINGS : rowTexts(n * TABLE_ROWS + row);
    return TABLE_COLUMNS.map((x, at) => ({
      x: x + 3,
      y: tableTop(row) - 12,
      size: 9,
      bytes: cells[at] ?? '',
    }));
  });

/** The rules around the cells of such a page. */
function tableRules(): string {
  const [top, bottom, left, right] = [tableTop(0), tableTop(TABLE_ROWS), 50, 540];
  const lying = numbers(TABLE_ROWS + 1).map(
    (row) => `${left} ${tableTop(row)} m ${right} ${tableTop(row)} l S\n`,
  );
  const standing = [...TABLE_COLUMNS, right].map((x) => `${x} ${bottom} m ${x} ${top} l S\n`);
  return `0.5 w\n${[...lying, ...standing].join('')}`;
}

const FIELDS = 20;
const fieldTop = (field: number) => 790 - 36 * field;
const LABELS = ['Name of part', 'Delivered to', 'Checked by', 'Remark'];

/** The labels of a page of a form, and of the boxes in every fourth row. */
const formPage = (n: number): PdfTextLine[] =>
  numbers(FIELDS).map((field) => ({
    x: 50,
    y: fieldTop(field) - 14,
    size: 10,
    bytes: `${LABELS[field % 4]} ${n * FIELDS + field}`,
  }));

/** The filled fields of such a page: texts, and a box in every fourth row. */
const formFields = (page: number): PdfAnnotation[] =>
  numbers(FIELDS).map((field) => {
    const [name, top] = [page * FIELDS + field, fieldTop(field)];
    const isBox = field % 4 === 3;
    const rect = `/Rect [200 ${top - 18} ${isBox ? 214 : 500} ${top}]`;
    const value = isBox
      ? `/FT /Btn /V /${name % 3 === 0 ? 'Off' : 'Yes'} /AS /${name % 3 === 0 ? 'Off' : 'Yes'}`
      : `/FT /Tx /V ${pdfText(`Part ${(name * 7919) % 5003} of pump ${name % 97}`)}`;
    return { page, entries: `/Subtype /Widget ${rect} ${value} /T (field${name}) /DA (/F1 10 Tf 0 g)` };
  });

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
  ['columns.pdf', 300, 'pages', (units) => writePdf({ pages: units.map(columnsPage) })],
  [
    'ruled.pdf',
    300,
    'pages',
    (units) => writePdf({ pages: units.map(tablePage), drawn: units.map(tableRules) }),
  ],
  ['gapped.pdf', 300, 'pages', (units) => writePdf({ pages: units.map(tablePage) })],
  [
    'form.pdf',
    300,
    'pages',
    (units) => writePdf({ pages: units.map(formPage), annotations: units.flatMap(formFields) }),
  ],
];

/** The most memory in MiB, and the most CPU time in seconds, that any process which this one started has used. */
function usedByChildren() {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(/\s+/);
  // A process that has ended is still listed for a moment, without its memory.
  const most = (figure: (pid: number) => number | null) =>
    Math.max(0, ...children.map((pid) => figure(Number(pid)) || 0));
  return {
    megabytes: most((pid) => memoryOf(pid).peak),
    cpuSeconds: most(cpuMs) / 1000,
  };
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
  let megabytes = 0;
  // A process that is replaced after a file ends before the file is stored, so its memory is also noted while it reads.
  const report = () => {
    megabytes = Math.max(megabytes, usedByChildren().megabytes);
  };
  const reading = { report, signal: new AbortController().signal };
  const start = performance.now();
  try {
    return await pool.read(task, reading, ({ chunkCount }) => {
      const seconds = (performance.now() - start) / 1000;
      report();
      const { cpuSeconds } = usedByChildren();
      return Promise.resolve({ seconds, cpuSeconds, chunkCount, megabytes });
    });
  } finally {
    await pool.close();
  }
}

await runBench(
  {
    name: 'bench:formats',
    about: `How fast office files and PDFs are read and cut, and how much memory the process takes that reads them. Each file is read by a
new process, with the limits that a worker has by default. Fails if one is not read within them.`,
    options: { share: [1, 'of the size of the files'] },
    choices: FILES.map(([name]) => name),
    needs: ['linux'],
  },
  async ({ share }, report, chosen) => {
    report.row('file', ['MiB', 'units', 's', 'CPU s', 'units/s', 'chunks', 'peak MiB']);
    for (const [name, count, unit, make] of FILES.filter(([name]) => chosen.includes(name))) {
      const units = Math.round(count * share);
      const content = make(numbers(units));
      const { seconds, cpuSeconds, chunkCount, megabytes } = await measure(name, content);
      const size = (content.length / 1024 / 1024).toFixed(1);
      const times = [seconds, cpuSeconds].map((time) => time.toFixed(1));
      report.row(`${name}, ${unit}`, [size, units, ...times, units / seconds, chunkCount, megabytes], '', 0);
    }
  },
);
