import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { drawDocument } from '../documents/documents.ts';
import { Draw } from '../documents/draw.ts';
import { lackingCommands } from '../support/programs.ts';
import { type Expected, expectedOf } from './judge.ts';
import { MAKERS, REWRITERS, type Task } from './programs.ts';

/** A PDF, and what a reader must find in it. */
export interface Sample {
  name: string;
  program: string;
  pages: number;
  expected: Expected;
}

/** Files that are written again have at most so many pages. */
const MAX_REWRITTEN_PAGES = 4;

async function pagesOf(file: string): Promise<number> {
  const task = getDocument({ data: new Uint8Array(await readFile(file)), verbosity: VerbosityLevel.ERRORS });
  const { numPages } = await task.promise;
  await task.destroy();
  return numPages;
}

/** The samples of a program that a folder has. */
export async function samplesOf(program: string, folder: string): Promise<Sample[]> {
  const isOf = (name: string) => name.startsWith(`${program}-`) && name.endsWith('.json');
  const texts = readdirSync(folder).filter(isOf).sort();
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Sample;
  return Promise.all(texts.map(read));
}

/** Makes documents. Returns the name of each with what it must be read as. */
async function makeNew(program: string, work: string): Promise<Map<string, Expected>> {
  const { kinds, count, only, bare, make } = MAKERS[program]!;
  const tasks = kinds.split(/\s+/).flatMap((of) => {
    const [kind = '', language = 'en'] = of.split('/');
    return Array.from({ length: count }, (_, index): Task & { name: string } => {
      const name = `${program}-${kind}-${language}-${index + 1}`;
      const drawn = drawDocument(name, kind, language);
      const blocks = drawn.blocks.filter(({ is }) => only === undefined || only.includes(is));
      const document = { ...drawn, blocks, ...(bare ? { header: '', footer: '' } : {}) };
      return { name, path: join(work, name), document };
    });
  });
  await make(tasks, work);
  return new Map(tasks.map(({ name, document }) => [name, expectedOf(document)]));
}

/** Writes files of other programs again. Returns the same. */
async function makeAgain(program: string, folder: string, work: string): Promise<Map<string, Expected>> {
  const { count, of = /./, rewrite } = REWRITERS[program]!;
  const samples = await Promise.all(Object.keys(MAKERS).map((name) => samplesOf(name, folder)));
  const fit = samples.flat().filter(({ name, pages }) => of.test(name) && pages <= MAX_REWRITTEN_PAGES);
  const made = new Map<string, Expected>();
  for (const [index, sample] of new Draw(program).shuffled(fit).slice(0, count).entries()) {
    const name = `${program}-${sample.name}`;
    await rewrite(join(folder, `${sample.name}.pdf`), join(work, `${name}.pdf`), index);
    made.set(name, sample.expected);
  }
  return made;
}

/**
 * Makes the samples of a program.
 * @param folder for `NAME.pdf` and `NAME.json`. A program that writes files again takes those of the others in it
 * @param work for all files on the way, only of this program
 * @throws if a command of the program is not installed, or a file was not made
 */
export async function makeSamples(program: string, folder: string, work: string): Promise<void> {
  const lacking = lackingCommands((MAKERS[program] ?? REWRITERS[program])!);
  if (lacking.length > 0) throw new Error(`${lacking.join(', ')} not found`);
  await mkdir(work, { recursive: true });
  const made = program in MAKERS ? await makeNew(program, work) : await makeAgain(program, folder, work);
  const fileOf = (name: string) => join(work, `${name}.pdf`);
  const lost = [...made.keys()].filter((name) => !existsSync(fileOf(name)));
  if (lost.length > 0) throw new Error(`${lost.join(', ')} not made`);
  for (const [name, expected] of made) {
    const file = fileOf(name);
    const sample: Sample = { name, program, pages: await pagesOf(file), expected };
    await copyFile(file, join(folder, `${name}.pdf`));
    await writeFile(join(folder, `${name}.json`), JSON.stringify(sample));
  }
}
