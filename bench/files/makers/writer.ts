import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOpenDocument } from '../../documents/open-document.ts';
import { convertOffice, write } from '../../support/programs.ts';
import type { Made, Maker } from '../samples.ts';
import { drawAll, madeOf } from './drawn.ts';
import { FEATURES, writeFeature } from './writer-features.ts';

const TEXTS = 'prose lists code mixed ruled spans wrapped empty';
const LANGUAGES = 'prose/de prose/ru prose/ja prose/he ruled/pl ruled/ar ruled/zh ruled/el';

async function convertFeatures(format: string, work: string): Promise<Made[]> {
  const able = Object.entries(FEATURES).filter(([, { formats }]) => formats?.includes(format) ?? true);
  const files = await Promise.all(
    able.map(([name, feature]) => write(join(work, `${name}.fodt`), writeFeature(feature))),
  );
  await convertOffice(files, format, work);
  return able.map(([name, { expected }]) => ({
    kind: format,
    name: `${name}-${format}`,
    path: join(work, `${name}.${format}`),
    expected,
  }));
}

/** Other names of office files, as a filter of LibreOffice makes them. */
const OTHER_NAMES: readonly (readonly [
  extension: string,
  filter: string,
  from: 'text' | 'presentation' | 'spreadsheet',
])[] = [
  ['docm', 'docm:MS Word 2007 XML VBA', 'text'],
  ['dotx', 'dotx:MS Word 2007 XML Template', 'text'],
  ['ott', 'ott:writer8_template', 'text'],
  ['fodt', 'fodt:OpenDocument Text Flat XML', 'text'],
  ['xlsm', 'xlsm:Calc MS Excel 2007 VBA XML', 'spreadsheet'],
  ['xltx', 'xltx:Calc MS Excel 2007 XML Template', 'spreadsheet'],
  ['ots', 'ots:calc8_template', 'spreadsheet'],
  ['ppsx', 'ppsx:Impress MS PowerPoint 2007 XML AutoPlay', 'presentation'],
  ['potx', 'potx:Impress MS PowerPoint 2007 XML Template', 'presentation'],
  ['pptm', 'pptm:Impress MS PowerPoint 2007 XML VBA', 'presentation'],
  ['otp', 'otp:impress8_template', 'presentation'],
];

async function otherNames(work: string): Promise<Made[]> {
  const made: Made[] = [];
  for (const [extension, filter, from] of OTHER_NAMES) {
    const kinds = { text: 'prose', presentation: 'slides', spreadsheet: 'ruled' };
    const [drawn] = drawAll(`named-${extension}`, kinds[from], work);
    if (drawn === undefined) continue;
    const blocks = drawn.document.blocks.filter(({ is }) => from !== 'spreadsheet' || is === 'table');
    const flatFile = { text: 'fodt', presentation: 'fodp', spreadsheet: 'fods' }[from];
    const source = join(work, `named-${extension}.${flatFile}`);
    await write(source, writeOpenDocument({ ...drawn.document, blocks }, from));
    const path = join(work, `named-${extension}.${extension}`);
    if (path !== source) await convertOffice([source], filter, work);
    const one = {
      ...drawn,
      path: path.slice(0, -extension.length - 1),
      document: { ...drawn.document, blocks },
    };
    made.push(...madeOf([one], 'office names', extension));
  }
  return made;
}

/** LibreOffice Writer: drawn documents and features in three formats, and documents under other names. */
export const writer: Maker = {
  commands: ['soffice'],
  packages: 'libreoffice-writer libreoffice-calc libreoffice-impress libreoffice-math',
  make: async (work) => {
    const made: Made[] = [];
    for (const [format, kinds] of [
      ['docx', `${TEXTS} ${LANGUAGES}`],
      ['odt', 'prose lists ruled spans mixed prose/ja ruled/ar'],
      ['rtf', 'prose lists ruled spans mixed prose/ru ruled/zh'],
    ] as const) {
      const drawn = drawAll(`writer-${format}`, kinds, work);
      const sources = await Promise.all(
        drawn.map(({ path, document }) => write(`${path}.fodt`, writeOpenDocument(document, 'text'))),
      );
      await convertOffice(sources, format, work);
      for (const one of drawn) {
        await rename(`${one.path}.${format}`, `${one.path}-${format}.${format}`);
        made.push(...madeOf([{ ...one, path: `${one.path}-${format}` }], format));
      }
      made.push(...(await convertFeatures(format, work)));
    }
    return [...made, ...(await otherNames(work))];
  },
};
