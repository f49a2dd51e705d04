/** Reads damaged PDFs in a process of its own, which a promise that nobody hears would end. */

import { extractPdf } from '../../../worker/extract/pdf.ts';
import { cidFont, pdfText, writePdf } from '../../support/pdf-writer.ts';
import { assertDamageIsTold } from './extraction.ts';
import { at, gridAt, inLayer, inMode, rowsAt } from './pdf/drawn-page.ts';

await assertDamageIsTold(
  extractPdf,
  writePdf({
    pages: [
      [
        { y: 700, bytes: 'one' },
        { y: 685, bytes: 'two' },
      ],
      [{ y: 700, font: 'C', bytes: Buffer.from('c4e3', 'hex') }],
    ],
    fonts: { C: cidFont('GBK-EUC-H', 'GB1') },
    info: `/Title ${pdfText('A title')}`,
  }),
);

const lefts = [60, 220, 330];
await assertDamageIsTold(
  extractPdf,
  writePdf({
    pages: [
      [
        ...gridAt([50, 210, 320, 420], [715, 695, 675]),
        ...rowsAt(
          lefts,
          701,
          [
            ['Part', 'Place', 'Units'],
            ['Seal', 'Hall', '12'],
          ],
          20,
        ),
        ...inLayer('Draft', at(50, 600, 'draft')),
        ...inMode(3, at(50, 550, 'not seen')),
        '/Box Do',
      ],
      rowsAt(
        lefts,
        701,
        [
          ['Rotor', 'Yard', '3'],
          ['Hose', 'Yard', '140'],
        ],
        20,
      ),
    ],
    layers: { Draft: false },
    forms: { Box: 'BT /F1 12 Tf 50 500 Td (in a form) Tj ET' },
    annotations: [
      { entries: '/Subtype /Text /Rect [100 700 300 720] /Contents (a note)' },
      { entries: '/Subtype /Widget /FT /Tx /T (name) /V (Ann) /F 4 /Rect [100 400 300 420]' },
    ],
    files: ['plan.xlsx'],
  }),
);
