/** Reads damaged PDFs in a process of its own, which a promise that nobody hears would end. */

import { extractPdf } from '../../../worker/extract/pdf.ts';
import { cidFont, pdfText, writePdf } from '../../support/pdf-writer.ts';
import { assertDamageIsTold } from './extraction.ts';

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
