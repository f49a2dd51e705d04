import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { extractDocx } from '../../../../../worker/extract/office/docx.ts';
import { testTexts } from '../../extraction.ts';

const file = (name: string) => readFileSync(new URL(`fixtures/${name}.docx`, import.meta.url));

describe('a Word document in a file', () => {
  testTexts(extractDocx, {
    'has the results of its simple fields': [file('fldsimple'), 'Invoice number INV-20417 see Table 7 end.'],
    'has the text under readings, without the readings': [file('ruby'), '会議は東京で開く'],
    'has text with a direction of its own': [
      file('bidi-runs'),
      'Start embedded direction run overridden run end',
    ],
    'has its equations in one line': [file('equation'), 'The limit is E=mc^2 exactly.\n\ntolerance=0.45mm'],
    'has texts in other formats, where they are': [
      file('altchunk'),
      'Before the chunk.\n\nWhole report text inserted by the program as HTML.\n\nAfter the chunk.',
    ],
    'has a text box without a copy for older programs': [
      file('textbox-nofallback'),
      'Before\n\nText in a box without fallback\n\nAfter',
    ],
    'has its comments after the paragraph, with their authors': [
      file('comments'),
      'The price is 40 euros.\n\nComment by Ann: Legal says forty-five.',
    ],
    'has the numbers of its headings and clauses': [
      file('numbering'),
      '# Article 1 Scope\n\n# Article 2 Payment terms\n\n2.1 The buyer pays in 30 days.\n\n2.2 Late fees are 2 %.\n\nSee Article 2 and clause 2.2.',
    ],
    'keeps the rows of a table with a table in a cell': [
      file('nested-table'),
      '| Item | Details |\n| - | - |\n| Pump | Pressure: Flow; 12 bar: 30 l inner end |',
    ],
    'of LibreOffice has headings, notes, lists, tables and comments, without what was deleted': [
      file('libreoffice'),
      '# Größe\n\nThe pump is 40 cm wide[1].\n\n[1] Without its feet.\n\n## Parts 水泵\n\n- Ring\n  - of rubber\n- Screw\n\n| Part | Price |\n| - | - |\n| Ring | 4 € |\n\nAsk the hall.\n\nComment by Mina: Which hall?',
    ],
  });
});
