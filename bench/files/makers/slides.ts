import { appendFile, copyFile, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { drawDocument } from '../../documents/documents.ts';
import { writeHtml } from '../../documents/html.ts';
import { writeOpenDocument } from '../../documents/open-document.ts';
import { convertOffice, execute, run, write } from '../../support/programs.ts';
import type { Made, Maker } from '../samples.ts';
import { drawAll, expectedOf, madeOf } from './drawn.ts';

const DECKS: readonly (readonly [
  name: string,
  source: string,
  texts: readonly string[],
  title: string | null,
])[] = [
  [
    'titled',
    '---\ntitle: Plan of the hall\nauthor: Ann Miller\n---\n\n# Safety\n\n- Gloves\n- Lamp\n\n::: notes\nMention the northern workshop.\n:::\n\n# Repair\n\n| Part | City |\n|------|------|\n| Valve | Kiel |\n',
    [
      'Plan of the hall',
      'Safety',
      'Gloves',
      'Lamp',
      'Mention the northern workshop.',
      'Repair',
      'Part City Valve Kiel',
    ],
    'Plan of the hall',
  ],
  [
    'untitled',
    '# Safety at the pump\n\nWear gloves.\n\n# Repair\n\nCall the workshop.\n',
    ['Safety at the pump', 'Wear gloves.', 'Repair', 'Call the workshop.'],
    'Safety at the pump',
  ],
];

/** LibreOffice Impress, and pandoc. */
export const slides: Maker = {
  commands: ['soffice', 'pandoc'],
  packages: 'libreoffice-impress pandoc',
  make: async (work) => {
    const drawn = drawAll('impress', 'slides slides/de slides/ja slides/ar', work);
    const sources = await Promise.all(
      drawn.map(({ path, document }) => write(`${path}.fodp`, writeOpenDocument(document, 'presentation'))),
    );
    for (const format of ['pptx', 'odp']) await convertOffice(sources, format, work);
    const made = [...madeOf(drawn, 'pptx'), ...madeOf(drawn, 'odp')];
    for (const [name, source, texts, title] of DECKS) {
      const file = await write(join(work, `${name}.md`), source);
      const path = join(work, `${name}.pptx`);
      await run('pandoc', '-s -o', path, file);
      // The slide of the title shows it too.
      const optional = ['Ann Miller', 'Notes'];
      made.push({ kind: 'pptx', name: `pandoc-${name}`, path, expected: { texts, title, optional } });
    }
    return made;
  },
};

/** Abiword, which writes files of LibreOffice again. */
export const abiword: Maker = {
  commands: ['abiword', 'pandoc'],
  packages: 'abiword pandoc',
  make: async (work) => {
    const drawn = drawAll('abiword', 'prose lists ruled prose/ru', work);
    const made: Made[] = [];
    for (const one of drawn) {
      const source = await write(`${one.path}-source.html`, writeHtml(one.document, true));
      await run('pandoc', '-s -f html --metadata pagetitle=- -o', `${one.path}-source.odt`, source);
      for (const format of ['docx', 'rtf', 'odt', 'html']) {
        await execute('abiword', [
          `--to=${format}`,
          `--to-name=${one.path}.${format}`,
          `${one.path}-source.odt`,
        ]);
        // Its pages have a title of its own.
        made.push(...madeOf([one], format, format, { optional: ['AbiWord Abiword HTML Document'] }));
      }
    }
    return made;
  },
};

const ARCHIVES = ['docx', 'odt', 'epub', 'pptx'];

/** Archives with bytes after their end or before their start, as mail gateways and some programs leave them. */
export const archives: Maker = {
  commands: ['pandoc', 'zip', 'unzip', 'python3'],
  packages: 'pandoc zip unzip python3',
  make: async (work) => {
    const made: Made[] = [];
    for (const format of ARCHIVES) {
      const document = drawDocument(`archive-${format}`, 'prose', 'en');
      const source = await write(join(work, 'source.html'), writeHtml(document, true));
      const whole = join(work, `whole.${format}`);
      await run('pandoc', '-s -f html --metadata pagetitle=- -o', whole, source);
      const expected = { ...expectedOf(document.blocks), optional: [document.header, document.footer] };
      const add = (name: string, path: string) =>
        made.push({ kind: 'archives', name: `${name}-${format}`, path, expected });
      const copy = async (name: string, change: (path: string) => Promise<unknown>) => {
        const path = join(work, `${name}${extname(whole)}`);
        await copyFile(whole, path);
        await change(path);
        add(name, path);
      };
      await copy('byte-after', (path) => appendFile(path, Buffer.of(0)));
      await copy('line-after', (path) => appendFile(path, '\r\n'));
      await copy('block-after', (path) => appendFile(path, Buffer.alloc(512)));
      await copy('bytes-before', async (path) =>
        write(path, Buffer.concat([Buffer.from('\r\n'), await readFile(path)])),
      );
      await copy('commented', (path) =>
        execute('sh', ['-c', 'echo "made by a gateway" | zip -z -q "$1"', 'sh', path]),
      );
      await copy('stored', (path) =>
        execute('sh', [
          '-c',
          'd=$(mktemp -d) && cd "$d" && unzip -q "$1" && rm "$1" && zip -q -r -0 -X "$1" mimetype . && rm -r "$d"',
          'sh',
          path,
        ]).catch(() =>
          execute('sh', [
            '-c',
            'd=$(mktemp -d) && cp "$2" "$1" && cd "$d" && unzip -q "$1" && rm "$1" && zip -q -r -0 -X "$1" . && rm -r "$d"',
            'sh',
            path,
            whole,
          ]),
        ),
      );
    }
    return made;
  },
};
