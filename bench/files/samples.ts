import { readdirSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { lackingCommands, type Program } from '../support/programs.ts';
import type { Expected } from './judge.ts';

/** A file that a program made, and what a reader must find in it. */
export interface Sample {
  name: string;
  program: string;
  /** The format, or the group of formats. */
  kind: string;
  /** The name of the file in the folder of samples. */
  file: string;
  expected: Expected;
}

/** A file that was just made. Its name is that of the sample, with an extension. */
export interface Made {
  kind: string;
  path: string;
  /** The name of the sample, without that of the program. */
  name: string;
  expected: Expected;
}

/** A program that makes files. */
export interface Maker extends Program {
  /** @param work a folder of its own */
  make: (work: string) => Promise<Made[]>;
}

/** The samples of a program that a folder has. */
export async function samplesOf(program: string, folder: string): Promise<Sample[]> {
  const isOf = (name: string) => name.startsWith(`${program}-`) && name.endsWith('.expected.json');
  const names = readdirSync(folder).filter(isOf).sort();
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Sample;
  return (await Promise.all(names.map(read))).filter((sample) => sample.program === program);
}

/**
 * Makes the samples of a program.
 * @param folder for the files, and for `NAME.expected.json`
 * @param work for all files on the way, only of this program
 * @throws if a command of the program is not installed, or a file was not made
 */
export async function makeSamples(
  program: string,
  maker: Maker,
  folder: string,
  work: string,
): Promise<void> {
  const lacking = lackingCommands(maker);
  if (lacking.length > 0) throw new Error(`${lacking.join(', ')} not found`);
  await mkdir(work, { recursive: true });
  for (const { kind, path, name: short, expected } of await maker.make(work)) {
    const name = `${program}-${short}`;
    const sample: Sample = { name, program, kind, file: `${name}${extname(path)}`, expected };
    await copyFile(path, join(folder, sample.file));
    await writeFile(join(folder, `${name}.expected.json`), JSON.stringify(sample));
  }
}
