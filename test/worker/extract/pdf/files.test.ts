import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { extractPdf } from '../../../../worker/extract/pdf.ts';
import { testTexts } from '../extraction.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.pdf`, import.meta.url));
const column = (side: string, about: string) =>
  [0, 1, 2, 3, 4, 5].map((line) => `${side} column line ${line} about ${about}.`).join('\n');

describe('a page is read as it is shown', () => {
  testTexts(extractPdf, {
    'if its columns are drawn from right to left': [
      fixture('columns-right-first'),
      'SMITH, A DISTRICT DIRECTOR 37,499.96\nBAIN, J STAFF ASSISTANT 21,000.00\nROWE, K INTERN 446.87',
    ],
    'if its words are Hebrew': [fixture('hebrew-words'), 'שלום עולם טוב'],
    'if the values of its form are not drawn': [
      fixture('form-values'),
      'Name of supplier: Northwind Pumps\n\nContract number: C-20417\n\nApproved: [x]\n\n' +
        'Checked by legal on 4 May\n\nNote: Sticky note: price is wrong',
    ],
    'if each letter is drawn twice to look bold': [fixture('fake-bold-letters'), 'Gate code\n\nNormal line'],
    'if an invisible text is over the visible one': [fixture('hidden-layer'), 'Visible text here.'],
    'if two columns are drawn line by line': [
      fixture('two-columns-interleaved'),
      `${column('Left', 'pumps')}\n\n${column('Right', 'hoses')}`,
    ],
    'if it is a table': [fixture('table'), 'Left one Right one\nLeft two Right two\nLeft three Right three'],
    'if it is drawn from the last line to the first': [
      fixture('stream-order'),
      'First paragraph.\n\nSecond paragraph.\n\nPage 1 of 9 footer',
    ],
  });
});
