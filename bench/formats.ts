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

/*
 * How fast office files are read and cut, and how much memory the process takes that reads them. Each file is read by a
 * new process, with the limits that a worker has by default. Needs Linux.
 */

const USAGE = `Usage: npm run bench:formats

Reads a large file of each office format. Exits with code 1 if one is not read within the default limits.
`;

const ROWS = 200_000;
const SLIDES = 2_000;
const PARAGRAPHS = 20_000;
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

/** The files, each made when it is needed: the name, the number of units, and their name. */
const FILES: readonly [name: string, units: number, unit: string, make: () => Uint8Array][] = [
  [
    'sheet.xlsx',
    ROWS,
    'rows',
    () => {
      const rows = numbers(ROWS).map((row) => textRow(row + 2, ...rowTexts(row)));
      return writeXlsx({ sheets: { Orders: textRow(1, ...HEADINGS) + rows.join('') } });
    },
  ],
  [
    'sheet.ods',
    ROWS,
    'rows',
    () => {
      const row = (texts: readonly string[]) =>
        `<table:table-row>${texts.map((text) => textCell(text)).join('')}</table:table-row>`;
      const rows = numbers(ROWS).map((each) => row(rowTexts(each)));
      return writeOpenDocument(
        'spreadsheet',
        `<table:table table:name="Orders">${row(HEADINGS)}${rows.join('')}</table:table>`,
      );
    },
  ],
  [
    'slides.pptx',
    SLIDES,
    'slides',
    () =>
      writePptx(
        numbers(SLIDES).map((n) => ({
          tree: shape([`Slide ${n}`], 'title') + shape([paragraph(n), sentence(n)]),
        })),
      ),
  ],
  [
    'slides.odp',
    SLIDES,
    'slides',
    () => {
      const frame = (role: string, text: string) =>
        `<draw:frame presentation:class="${role}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
      const page = (n: number) =>
        `<draw:page>${frame('title', `Slide ${n}`)}${frame('outline', paragraph(n))}</draw:page>`;
      return writeOpenDocument('presentation', numbers(SLIDES).map(page).join(''));
    },
  ],
  [
    'text.odt',
    PARAGRAPHS,
    'paragraphs',
    () =>
      writeOpenDocument(
        'text',
        numbers(PARAGRAPHS)
          .map((n) => `<text:p>${paragraph(n)}</text:p>`)
          .join(''),
      ),
  ],
  [
    'text.rtf',
    PARAGRAPHS,
    'paragraphs',
    () =>
      Buffer.from(
        `{\\rtf1\\ansi ${numbers(PARAGRAPHS)
          .map((n) => `\\pard ${paragraph(n)}\\par\n`)
          .join('')}}`,
      ),
  ],
];

/** The most memory that any process which this one started has used, in MiB. */
function peakMegabytes(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(/\s+/);
  const peaks = children.map((pid) => {
    const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes ?? 0) / 1024;
  });
  return Math.max(0, ...peaks);
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

if (process.argv.includes('--help')) {
  process.stdout.write(USAGE);
} else {
  const lines = [['file', 'MiB', 'units', 's', 'units/s', 'chunks', 'peak MiB']];
  for (const [name, units, unit, make] of FILES) {
    const content = make();
    const { seconds, chunkCount, megabytes } = await measure(name, content);
    lines.push([
      name,
      (content.length / 1024 / 1024).toFixed(1),
      `${units} ${unit}`,
      seconds.toFixed(1),
      String(Math.round(units / seconds)),
      String(chunkCount),
      String(Math.round(megabytes)),
    ]);
  }
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  for (const line of lines) {
    process.stdout.write(`${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
  }
}
