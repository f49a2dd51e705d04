import { FileFault } from '../../extraction.ts';

/** The size of a sheet in the programs: up to row 1,048,576, and up to column XFD. */
export const MAX_ROW = 1_048_576;
export const MAX_COLUMN = 16_384;

const REFERENCE = /^\$?([A-Za-z]{1,4})\$?(\d{1,8})$/;

export const outsideFault = () =>
  new FileFault(
    'corrupt',
    'The file is damaged: it has a cell outside the size of a sheet. Open it, save it again and import that.',
  );

/** A cell by its row and its column, both from 1. */
export interface CellPosition {
  row: number;
  column: number;
}

/**
 * Reads a reference such as `B7`.
 * @throws FileFault `corrupt` if no sheet has the cell
 */
export function parseReference(reference: string): CellPosition {
  const [, letters, digits] = REFERENCE.exec(reference) ?? [];
  if (letters === undefined) throw outsideFault();
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  const row = Number(digits);
  if (row < 1 || row > MAX_ROW || column > MAX_COLUMN) throw outsideFault();
  return { row, column };
}

/** The letters of a column: 27 is `AA`. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
