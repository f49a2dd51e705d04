import { launchBrowser } from '../../test/support/needs/browser.ts';
import type { Document } from '../documents/documents.ts';
import type { Block } from '../documents/draw.ts';
import { writeHtml } from '../documents/html.ts';
import { writeOpenDocument } from '../documents/open-document.ts';
import { writeRoff } from '../documents/roff.ts';
import { convertOffice, execute, type Program, run, write } from '../support/programs.ts';
import { DRAWN_AS, writePostScript } from './postscript.ts';

/** A document, and the path of its PDF without `.pdf`. */
export interface Task {
  path: string;
  document: Document;
}

/** A program that makes PDFs of documents. */
interface Maker extends Program {
  /** The kinds of documents, as `prose` or, in another language, `prose/ar`. */
  kinds: string;
  /** How many documents of each kind. */
  count: number;
  /** The kinds of blocks that it writes; without it all. */
  only?: readonly Block['is'][];
  /** Whether it writes no headers and footers. */
  bare?: true;
  make: (tasks: readonly Task[], folder: string) => Promise<void>;
}

/** A program that writes PDFs of others again. */
interface Rewriter extends Program {
  /** How many files. */
  count: number;
  /** Their names. */
  of?: RegExp;
  rewrite: (source: string, target: string, index: number) => Promise<unknown>;
}

const each =
  (make: (task: Task, index: number) => Promise<unknown>): Maker['make'] =>
  async (tasks) => {
    for (const [index, task] of tasks.entries()) await make(task, index);
  };

/** Makes PDFs of office files with LibreOffice, which starts once. */
const office =
  (save: (task: Task, index: number) => Promise<string>): Maker['make'] =>
  async (tasks, folder) => {
    const files = await Promise.all(tasks.map(save));
    await convertOffice(files, 'pdf', folder);
  };

async function pandoc(
  { path, document }: Task,
  format: string,
  ...options: readonly string[]
): Promise<string> {
  const source = await write(`${path}.html`, writeHtml(document, true));
  await run('pandoc', '-f html --metadata pagetitle=- -o', `${path}.${format}`, source, ...options);
  return `${path}.${format}`;
}

const ghostscript = (source: string, target: string) =>
  run('gs', '-q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -dAutoRotatePages=/PageByPage -o', target, source);
const ocr = (...options: readonly string[]) =>
  run('ocrmypdf', '--quiet --optimize 0 --output-type pdf', ...options);

const TEXTS = 'prose lists notes code mixed captions columns2';
const TABLES = 'ruled unruled zebra lines long wrapped numeric empty';
const PAGES = 'spans columns3 contents letter invoice form box columnsWithTable shadow';
const SCRIPTS = 'prose/he prose/ar ruled/he unruled/ar prose/zh prose/ja prose/ko columns2/zh ruled/ja';

/** The programs that make PDFs. */
export const MAKERS: Readonly<Record<string, Maker>> = {
  chromium: {
    commands: ['/usr/bin/chromium'],
    packages: 'chromium fonts-noto',
    kinds: `${TEXTS} ${TABLES} ${PAGES} ${SCRIPTS} grid flex absolute columns2/he long/ar`,
    count: 2,
    make: async (tasks) => {
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        for (const { path, document } of tasks) {
          await page.setContent(writeHtml(document));
          await page.pdf({ path: `${path}.pdf`, preferCSSPageSize: true, printBackground: true });
        }
      } finally {
        await browser.close();
      }
    },
  },
  weasyprint: {
    commands: ['weasyprint'],
    packages: 'weasyprint',
    // WeasyPrint 57 states wrong letters for text from right to left.
    kinds: `${TEXTS} ruled zebra long wrapped spans letter contents box prose/zh prose/ko`,
    count: 1,
    make: each(async ({ path, document }) => {
      await run('weasyprint', '-q', await write(`${path}.html`, writeHtml(document)), `${path}.pdf`);
    }),
  },
  writer: {
    commands: ['soffice'],
    packages: 'libreoffice-writer',
    kinds: `${TEXTS} ${TABLES} ${PAGES} ${SCRIPTS}`,
    count: 1,
    make: office(({ path, document }) => write(`${path}.fodt`, writeOpenDocument(document, 'text'))),
  },
  docx: {
    commands: ['pandoc', 'soffice'],
    packages: 'pandoc libreoffice-writer',
    kinds: 'prose lists ruled long wrapped mixed',
    count: 1,
    bare: true,
    make: office((task, index) => pandoc(task, index % 2 === 0 ? 'docx' : 'odt')),
  },
  calc: {
    commands: ['soffice'],
    packages: 'libreoffice-calc',
    kinds: TABLES,
    count: 1,
    only: ['table'],
    bare: true,
    make: office(({ path, document }) => write(`${path}.fods`, writeOpenDocument(document, 'spreadsheet'))),
  },
  impress: {
    commands: ['soffice'],
    packages: 'libreoffice-impress',
    kinds: 'slides',
    count: 6,
    bare: true,
    make: office(({ path, document }) => write(`${path}.fodp`, writeOpenDocument(document, 'presentation'))),
  },
  groff: {
    commands: ['groff', 'ps2pdf'],
    packages: 'groff ghostscript',
    kinds: `${TEXTS} ${TABLES} columns3 contents shadow`,
    count: 1,
    make: each(async ({ path, document }, index) => {
      const device = index % 2 === 0 ? 'pdf' : 'ps';
      const options = ['-k', '-ms', '-t', `-T${device}`, await write(`${path}.ms`, writeRoff(document))];
      const { stdout } = await execute('groff', options, { encoding: 'buffer', maxBuffer: 2 ** 26 });
      await write(`${path}.${device}`, stdout);
      if (device === 'ps') await execute('ps2pdf', [`${path}.ps`, `${path}.pdf`]);
    }),
  },
  latex: {
    commands: ['pandoc', 'pdflatex'],
    packages: 'pandoc texlive-latex-recommended',
    kinds: `prose columns2 captions lists notes code mixed ${TABLES.replace('zebra', '')}`,
    count: 2,
    make: each((task) => {
      const { header, footer, size, blocks } = task.document;
      const margins = `\\lhead{${header}}\\lfoot{${footer}}\\rfoot{\\thepage}`;
      const head = `header-includes=\\usepackage{fancyhdr}\\pagestyle{fancy}\\fancyhf{}${margins}`;
      const columns = blocks.some(({ is }) => is === 'columns') ? 'twocolumn' : 'onecolumn';
      const options = `--pdf-engine=pdflatex -V fontsize=${size}pt -V geometry=margin=25mm -V classoption=${columns} -V`;
      return pandoc(task, 'pdf', ...options.split(' '), head);
    }),
  },
  imagemagick: {
    commands: ['convert', 'ocrmypdf'],
    packages: 'imagemagick ocrmypdf',
    kinds: 'letter',
    count: 4,
    only: ['heading', 'text'],
    bare: true,
    make: each(async ({ path, document }) => {
      const texts = document.blocks.flatMap((block) => ('text' in block ? [block.text] : []));
      const lines = texts.join('\n\n').replaceAll(/(.{60,76}) /g, '$1\n');
      const page = '-size 1654x2339 xc:white -density 200 -units PixelsPerInch -pointsize 11';
      await run('convert', `${page} -annotate +150+150`, lines, `${path}.png`);
      await ocr(`${path}.png`, `${path}.pdf`);
    }),
  },
  ghostscript: {
    commands: ['gs'],
    packages: 'ghostscript',
    kinds: 'prose columns2 unruled',
    count: DRAWN_AS.length,
    make: each(async ({ path, document }, index) => {
      const drawnAs = DRAWN_AS[index % DRAWN_AS.length]!;
      await ghostscript(await write(`${path}.ps`, writePostScript(document, drawnAs)), `${path}.pdf`);
    }),
  },
};

const REWRITES = ['--linearize', '--object-streams=generate', '--rotate=+90', '--stream-data=uncompress'];

/** The programs that write PDFs of others again. */
export const REWRITERS: Readonly<Record<string, Rewriter>> = {
  redistilled: { commands: ['gs'], packages: 'ghostscript', count: 12, rewrite: ghostscript },
  qpdf: {
    commands: ['qpdf'],
    packages: 'qpdf',
    count: 12,
    rewrite: (source, target, index) => run('qpdf', REWRITES[index % REWRITES.length]!, source, target),
  },
  ocr: {
    commands: ['ocrmypdf'],
    packages: 'ocrmypdf',
    count: 5,
    of: /^(?:chromium|writer|latex)-(?:prose|columns2|ruled|letter|mixed)-en/,
    rewrite: (source, target) => ocr('--force-ocr', source, target),
  },
};

/** The names of all programs, those that make PDFs first. */
export const PROGRAMS = [...Object.keys(MAKERS), ...Object.keys(REWRITERS)];

const ALL: readonly Program[] = [...Object.values(MAKERS), ...Object.values(REWRITERS)];
/** The packages of Debian that have the programs. */
export const PACKAGES = [...new Set(ALL.flatMap(({ packages }) => packages.split(' ')))].join(' ');
