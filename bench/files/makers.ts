import { copies, output } from './makers/code.ts';
import { csvPrograms, pythonCsv } from './makers/csv.ts';
import { iconv } from './makers/encodings.ts';
import { git, mailPrograms, pythonMail } from './makers/mail.ts';
import { markdown } from './makers/markdown.ts';
import { otherPages, sites, templates } from './makers/pages.ts';
import { pandoc } from './makers/pandoc.ts';
import { pythonDocx } from './makers/python-docx.ts';
import { calc, excelWriter, gnumeric, openpyxl, xlsxwriter } from './makers/sheets.ts';
import { abiword, archives, slides } from './makers/slides.ts';
import { textKinds } from './makers/text-kinds.ts';
import { writer } from './makers/writer.ts';
import type { Maker } from './samples.ts';

/** The programs that make files, by name. */
export const MAKERS: Readonly<Record<string, Maker>> = {
  writer,
  pandoc,
  'python-docx': pythonDocx,
  calc,
  gnumeric,
  openpyxl,
  xlsxwriter,
  'excel-writer': excelWriter,
  'python-csv': pythonCsv,
  'csv-programs': csvPrograms,
  iconv,
  templates,
  sites,
  'other-pages': otherPages,
  markdown,
  'python-mail': pythonMail,
  'mail-programs': mailPrograms,
  git,
  copies,
  output,
  'text-kinds': textKinds,
  slides,
  abiword,
  archives,
};

/** The packages of Debian that have them. */
export const PACKAGES = [
  ...new Set(Object.values(MAKERS).flatMap(({ packages }) => packages.split(' '))),
].join(' ');
