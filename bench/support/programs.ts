import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export const execute = promisify(execFile);

/** Runs a program; its arguments with spaces between them, and then the files. */
export const run = (command: string, options: string, ...files: readonly string[]) =>
  execute(command, [...options.split(' '), ...files]);

/** A program of this machine that makes files. */
export interface Program {
  /** The commands that it needs, and the packages of Debian that have them. */
  commands: readonly string[];
  packages: string;
}

/** The commands of a program that are not installed. */
export function lackingCommands({ commands }: Program): string[] {
  const folders = ['', ...(process.env['PATH'] ?? '').split(delimiter)];
  return commands.filter((command) => !folders.some((folder) => existsSync(join(folder, command))));
}

/** Writes a file. Returns its path. */
export async function write(file: string, content: string | Uint8Array): Promise<string> {
  await writeFile(file, content);
  return file;
}

/**
 * Converts files with LibreOffice, which starts once.
 * @param format its extension, and after a colon the filter of LibreOffice
 * @param folder for the new files, and for the settings of LibreOffice
 */
export async function convertOffice(files: readonly string[], format: string, folder: string): Promise<void> {
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  await execute('soffice', [profile, '--headless', '--convert-to', format, '--outdir', folder, ...files]);
}
