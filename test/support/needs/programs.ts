import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** A program that tests start and that a bare Debian lacks. */
interface Program {
  /** Where it is, or its name in a folder of `PATH`. */
  readonly file: string;
  /** The package of Debian that has it. */
  readonly package: string;
  /** What is skipped without it. */
  readonly tests: string;
}

/** The programs that `npm run test:rest` installs where it can. */
export const PROGRAMS = {
  chromium: { file: '/usr/bin/chromium', package: 'chromium', tests: 'tests of pages in a browser' },
  curl: { file: 'curl', package: 'curl', tests: 'examples of the documents' },
  ps: { file: 'ps', package: 'procps', tests: 'the limit on memory where there is no /proc' },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof PROGRAMS;

/** Whether a program is on this machine. */
export function isInstalled(name: ProgramName): boolean {
  const { file } = PROGRAMS[name];
  if (isAbsolute(file)) return existsSync(file);
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, file)));
}

/** Why tests that start a program are skipped here, or false. Never where CI is set: there a missing program fails. */
export const without = (name: ProgramName): string | false =>
  !isInstalled(name) && !process.env['CI'] ? `${PROGRAMS[name].file} is not installed` : false;
