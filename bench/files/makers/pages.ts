import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Document } from '../../documents/documents.ts';
import { Draw } from '../../documents/draw.ts';
import { writeOpenDocument } from '../../documents/open-document.ts';
import { writeRoff } from '../../documents/roff.ts';
import { convertOffice, execute, run, write } from '../../support/programs.ts';
import type { Made, Maker } from '../samples.ts';
import { drawAll, expectedOf, madeOf } from './drawn.ts';
import { pageCases } from './page-cases.ts';
import { PYTHON } from './scripts.ts';

/** Pages that were written by hand, as templates of sites make them. */
export const templates: Maker = {
  commands: [],
  packages: '',
  make: async (work) =>
    Promise.all(
      Object.entries(pageCases('pages')).map(async ([name, { html, expected }]): Promise<Made> => {
        const path = await write(join(work, `${name}.html`), html);
        return { kind: 'html', name, path, expected };
      }),
    ),
};

/** A document as reStructuredText, or with other underlines as Markdown or AsciiDoc. */
function markupOf(
  { blocks }: Document,
  title: string,
  heading: (text: string, level: number) => string,
): string {
  const texts = blocks.map((block) => {
    if (block.is === 'heading') return heading(block.text, 2);
    if (block.is === 'list') return block.items.map((item) => `* ${item}`).join('\n');
    if (block.is === 'code') return '';
    return 'text' in block ? block.text : '';
  });
  return `${[heading(title, 1), ...texts].join('\n\n')}\n`;
}

const underlined = (text: string, level: number) =>
  `${text}\n${(level === 1 ? '=' : '-').repeat(text.length * 2)}`;

/** The pages of a site of some documents, of which two are kept. */
async function siteOf(
  name: string,
  work: string,
  heading: (text: string, level: number) => string,
  extension: string,
  build: (
    folder: string,
    names: readonly string[],
    titles: readonly string[],
  ) => Promise<(name: string) => string>,
): Promise<Made[]> {
  const d = new Draw(name);
  const folder = join(work, name);
  await mkdir(folder, { recursive: true });
  const drawn = drawAll(name, 'prose lists prose prose', folder);
  const titles = drawn.map(() => d.title());
  for (const [at, { path, document }] of drawn.entries())
    await write(`${path}.${extension}`, markupOf(document, titles[at]!, heading));
  const names = drawn.map((one) => one.name);
  const pageOf = await build(folder, names, titles);
  return drawn.slice(0, 2).map((one, at): Made => {
    const title = titles[at]!;
    // Lists of the headings of a page are not judged.
    const headings = one.document.blocks.flatMap((block) => (block.is === 'heading' ? [block.text] : []));
    const expected = expectedOf(one.document.blocks, { optional: [title, ...headings, 'Table of Contents'] });
    return { kind: 'html', name: `${name}-${one.name}`, path: pageOf(one.name), expected };
  });
}

/** Programs that make sites of documentation. */
export const sites: Maker = {
  commands: ['sphinx-build', 'mkdocs', 'asciidoctor'],
  packages: 'python3-sphinx mkdocs asciidoctor',
  make: async (work) => {
    const sphinx = await siteOf('sphinx', work, underlined, 'rst', async (folder, names) => {
      await write(join(folder, 'conf.py'), 'project = "Northwind"\nauthor = "Workshop"\n');
      await write(
        join(folder, 'index.rst'),
        `Start\n=====\n\n.. toctree::\n\n${names.map((name) => `   ${name}`).join('\n')}\n`,
      );
      await run('sphinx-build', '-q -b html', folder, join(folder, 'out'));
      return (name) => join(folder, 'out', `${name}.html`);
    });
    const hash = (text: string, level: number) => `${'#'.repeat(level)} ${text}`;
    const mkdocs: Made[] = [];
    for (const theme of ['mkdocs', 'readthedocs']) {
      const made = await siteOf(`mkdocs-${theme}`, join(work, theme), hash, 'md', async (folder) => {
        const out = join(work, `${theme}-out`);
        const settings = join(work, theme, 'mkdocs.yml');
        await write(
          settings,
          `site_name: Northwind\ndocs_dir: ${folder}\ntheme: ${theme}\nuse_directory_urls: false\n`,
        );
        await run('mkdocs', 'build -q -f', settings, '-d', out);
        return (name) => join(out, `${name}.html`);
      });
      mkdocs.push(...made);
    }
    const equals = (text: string, level: number) => `${'='.repeat(level)} ${text}`;
    const asciidoctor = await siteOf('asciidoctor', work, equals, 'adoc', async (folder, names) => {
      for (const name of names) await run('asciidoctor', '-a toc=left', join(folder, `${name}.adoc`));
      return (name) => join(folder, `${name}.html`);
    });
    return [...sphinx, ...mkdocs, ...asciidoctor];
  },
};

/** LibreOffice, groff and the list of a folder that Python's server makes. */
export const otherPages: Maker = {
  commands: ['soffice', 'groff', PYTHON],
  packages: 'libreoffice-writer groff python3',
  make: async (work) => {
    const drawn = drawAll('office-pages', 'prose lists ruled spans prose/de', work);
    const sources = await Promise.all(
      drawn.map(({ path, document }) => write(`${path}.fodt`, writeOpenDocument(document, 'text'))),
    );
    await convertOffice(sources, 'html', work);
    const office = madeOf(drawn, 'html');
    const xhtml = drawAll('office-pages', 'prose', work).map((one) => ({ ...one, path: `${one.path}-x` }));
    for (const { path, document } of xhtml) await write(`${path}.fodt`, writeOpenDocument(document, 'text'));
    await convertOffice(
      xhtml.map(({ path }) => `${path}.fodt`),
      'xhtml:XHTML Writer File',
      work,
    );
    const roffs = drawAll('groff-pages', 'prose lists prose', work);
    for (const { path, document } of roffs) {
      const source = await write(`${path}.ms`, writeRoff(document));
      const { stdout } = await execute('groff', ['-k', '-ms', '-t', '-Thtml', source], { cwd: work });
      await write(`${path}-roff.html`, stdout);
    }
    const roffPages = roffs.map((one): Made => {
      // The page begins with a list of its headings.
      const headings = one.document.blocks.flatMap((block) => (block.is === 'heading' ? [block.text] : []));
      const expected = expectedOf(one.document.blocks, { optional: headings });
      return { kind: 'html', name: `groff-${one.name}`, path: `${one.path}-roff.html`, expected };
    });
    return [...office, ...madeOf(xhtml, 'html', 'xhtml'), ...roffPages, await listing(work)];
  },
};

async function listing(work: string): Promise<Made> {
  const folder = join(work, 'listed');
  await mkdir(folder, { recursive: true });
  const names = ['budget.xlsx', 'minutes of may.txt', 'plan.pdf'];
  for (const name of names) await write(join(folder, name), 'x');
  const port = 20_000 + (process.pid % 10_000);
  const server = spawn(
    PYTHON,
    ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '--directory', folder],
    { stdio: 'ignore' },
  );
  try {
    for (let tries = 0; tries < 50; tries += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
      if (answer !== null) {
        const path = await write(join(work, 'listing.html'), await answer.text());
        return {
          kind: 'html',
          name: 'listing',
          path,
          expected: { texts: names, optional: ['Directory listing for'] },
        };
      }
      await delay(100);
    }
    throw new Error('the server of Python did not answer');
  } finally {
    server.kill();
  }
}
