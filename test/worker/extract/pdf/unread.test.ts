import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../../shared/ids.ts';
import type { Unread } from '../../../../shared/schemas/unread.ts';
import { fieldsNow } from '../../../../shared/text/prepared-chunks.ts';
import { prepareDocument } from '../../../../worker/extract/document.ts';
import { extractPdf } from '../../../../worker/extract/pdf.ts';
import { cidFont, type PdfPlan, writePdf } from '../../../support/pdf-writer.ts';
import { extracted, faultOf } from '../extraction.ts';
import { at, type Drawn, inMode } from './drawn-page.ts';

const page = (text: string): Drawn[] => [at(50, 700, text)];
const PICTURE: Drawn[] = [];
/** A page in a font that has only the numbers of its glyphs. */
const UNTOLD: Drawn[] = [
  {
    y: 700,
    font: 'G',
    bytes: Buffer.from([...'Where is it?'].flatMap((letter) => [0, letter.charCodeAt(0) - 29])),
  },
];
const FONTS = { G: cidFont('Identity-H', 'Identity') };

/** The numbers of the pages that were read, and what was not. */
async function outcomeOf(
  pages: readonly Drawn[][],
  change = (pdf: string) => pdf,
  plan: Partial<PdfPlan> = {},
) {
  const content = Buffer.from(
    change(writePdf({ pages, fonts: FONTS, ...plan }).toString('latin1')),
    'latin1',
  );
  const document = await extracted(extractPdf, content);
  const { unread } = prepareDocument(document, newId(), fieldsNow('x'), 'off');
  return { read: document.parts.map(({ place }) => place?.page), unread };
}
const pagesFor = (reason: string, ...names: number[]): Unread => ({ kind: 'page', names, reason });

describe('what is not read of a PDF', () => {
  test('is nothing if each page has text', async () => {
    assert.deepEqual(await outcomeOf([page('one'), page('two')]), { read: [1, 2], unread: [] });
  });

  test('is each page that is a picture or blank, beside pages with text', async () => {
    const blank: Drawn[] = ['q Q'];
    assert.deepEqual(await outcomeOf([PICTURE, page('two'), blank, page('four'), PICTURE]), {
      read: [2, 4],
      unread: [pagesFor('no_text', 1, 3, 5)],
    });
  });

  test('is no page whose picture has invisible text', async () => {
    assert.deepEqual(await outcomeOf([page('one'), inMode(3, at(50, 700, 'two'))]), {
      read: [1, 2],
      unread: [],
    });
  });

  test('is each page whose fonts do not state their letters', async () => {
    assert.deepEqual(await outcomeOf([page('one'), UNTOLD, page('three'), PICTURE]), {
      read: [1, 3],
      unread: [pagesFor('no_letters', 2), pagesFor('no_text', 4)],
    });
  });

  test('is each page that is damaged', async () => {
    const outcome = await outcomeOf([page('one'), PICTURE, page('three')], (pdf) =>
      pdf.replace('\n7 0 obj', '\n7 0 bbj'),
    );
    assert.deepEqual(outcome, { read: [1], unread: [pagesFor('no_text', 2), pagesFor('damaged', 3)] });
  });

  test('is each page with letters on a hidden layer only', async () => {
    const hidden: Drawn[] = ['/OC /Draft BDC', at(50, 700, 'hidden'), 'EMC'];
    assert.deepEqual(await outcomeOf([page('one'), hidden], undefined, { layers: { Draft: false } }), {
      read: [1],
      unread: [pagesFor('no_text', 2)],
    });
  });

  test('is each file that is attached, whose name is in the text', async () => {
    const files = ['budget.xlsx', 'plan.pdf'];
    const { unread } = await outcomeOf([page('one')], undefined, { files });
    assert.deepEqual(unread, [{ kind: 'attachment', names: files, reason: 'not_read' }]);
    const { parts } = await extracted(extractPdf, writePdf({ pages: [page('one'), page('two')], files }));
    assert.deepEqual(
      parts.map(({ text }) => text),
      ['one', 'two\n\nAttached file: budget.xlsx\nAttached file: plan.pdf'],
    );
  });

  test('is the form of a document that has one of XML, beside what its page says', async () => {
    const outcome = await outcomeOf([page('one')], (pdf) =>
      pdf.replace('/Type /Catalog', '/Type /Catalog /AcroForm << /Fields [] /XFA [(template) 4 0 R] >>'),
    );
    assert.deepEqual(outcome, {
      read: [1],
      unread: [{ kind: 'part', names: ['XFA form'], reason: 'not_read' }],
    });
  });
});

describe('a PDF of which nothing is read', () => {
  for (const [title, says, pages] of [
    ['is refused for its pictures', /pictures/, [PICTURE, PICTURE]],
    ['is refused for its fonts if one page has letters', /fonts/, [PICTURE, UNTOLD]],
  ] as const) {
    test(title, async () => {
      const fault = await faultOf(extractPdf, writePdf({ pages, fonts: FONTS }));
      assert.equal(fault.code, 'no_text');
      assert.match(fault.message, says);
    });
  }

  test('is refused as damaged if one page is damaged and the others are pictures', async () => {
    const pdf = writePdf({ pages: [PICTURE, page('two')] }).toString('latin1');
    const fault = await faultOf(extractPdf, Buffer.from(pdf.replace('\n5 0 obj', '\n5 0 bbj'), 'latin1'));
    assert.equal(fault.code, 'corrupt');
  });
});
