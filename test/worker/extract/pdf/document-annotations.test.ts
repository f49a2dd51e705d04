import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { DocumentAnnotations } from '../../../../worker/extract/pdf/document-annotations.ts';
import { writePdf } from '../../../support/pdf-writer.ts';
import { AT, extrasOf, textLine as line, pageExtrasOf } from './page-extras.ts';

describe('the annotations of a document', () => {
  const note = (text: string) => ({ entries: `/Subtype /Text ${AT} /Contents (${text})` });
  const notesOfPages = async (document: Buffer) =>
    (await pageExtrasOf(document)).pages.map(({ notes }) => notes.join());

  test('are those of each page', async () => {
    const pages = Array.from({ length: 40 }, () => [line(50, 20, 'page')]);
    const notes = await notesOfPages(writePdf({ pages, annotations: [note('first')] }));
    assert.deepEqual(notes, ['Note: first', ...Array<string>(39).fill('')]);
  });

  test('are those of a page each time that it is listed', async () => {
    const document = writePdf({ pages: [[line(50, 20, 'page')]], listed: 20, annotations: [note('again')] });
    assert.deepEqual(await notesOfPages(document), Array(20).fill('Note: again'));
  });

  test('have the value of a field that does not name its parent', async () => {
    const parent = '/FT /Tx /T (supplier) /V (Northwind Pumps) /Kids [6 0 R]';
    const kid = `/Subtype /Widget ${AT}`;
    const { placed } = await extrasOf([], [parent, kid]);
    assert.deepEqual(
      placed.map(({ text }) => text),
      ['Northwind Pumps'],
    );
  });

  test('are left out if they are damaged, and the others are read', async () => {
    const broken = ['7', '/Subtype 7', `/Subtype /Text /Rect 7 /Contents 7`, '/Subtype /Link /Parent 5 0 R'];
    const all = broken.map((entries) => ({ entries }));
    const pages = [[line(50, 20, 'page')]];
    assert.deepEqual(await notesOfPages(writePdf({ pages, annotations: [...all, note('sound')] })), [
      'Note: sound',
    ]);
    for (const annots of ['7', '<< >>', '[7 null 99 0 R (x) [7]]']) {
      const document = writePdf({ pages, annotations: [note('x')] }).toString('latin1');
      const changed = Buffer.from(document.replace('[5 0 R]', annots), 'latin1');
      assert.deepEqual(await notesOfPages(changed), ['']);
    }
  });
});

describe('annotations that pdf.js cannot read', () => {
  const fails = () => Promise.reject(new Error('damaged'));
  const reader = (ofPage: () => Promise<unknown[]>) =>
    new DocumentAnnotations({
      numPages: 2,
      getAnnotationsByType: fails,
      getSignatures: fails,
      getPage: () => Promise.resolve({ getAnnotations: ofPage }),
    } as unknown as PDFDocumentProxy);

  test('for several pages are read for each page', async () => {
    const found = [{ subtype: 'Text' }];
    assert.deepEqual(await reader(() => Promise.resolve(found)).ofPage(1), found);
  });

  test('are none, so that the text of the page is still read', async () => {
    assert.deepEqual(await reader(fails).ofPage(2), []);
    assert.deepEqual(await reader(fails).signaturesFor([{ fieldType: 'Sig' }]), []);
  });
});
