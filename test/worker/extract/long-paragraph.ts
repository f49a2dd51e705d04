import { type PdfLine, paragraphsOf, wordsOf } from '../../../worker/extract/pdf.ts';

/*
 * Puts a page together whose lines are all one paragraph, and exits with 0 if the text is right. A process of its own
 * can be stopped if it does not come to an end.
 */

const LINES = 100_000;

const text = 'the pump is opened with the key that hangs beside it, and never by hand';
const lines = Array.from(
  { length: LINES },
  (_, index): PdfLine => ({
    text,
    angle: 0,
    vertical: false,
    start: 0,
    end: 400,
    baseline: -15 * index,
    size: 12,
  }),
);
const joined = paragraphsOf(lines, wordsOf([lines]));
process.exitCode = joined === Array.from({ length: LINES }, () => text).join(' ') ? 0 : 1;
