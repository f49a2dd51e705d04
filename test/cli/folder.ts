import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Import } from '../../shared/schemas/imports.ts';
import type { SignedIn, TestApp } from '../support/app.ts';

/** Writes files, by their paths within the folder, and returns the folder. */
export async function writeFolder(
  folder: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  return folder;
}

/** So many small files, each another text. */
export function manyFiles(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, place) => {
      const number = String(place).padStart(4, '0');
      return [`note-${number}.txt`, `the note of number ${number}`];
    }),
  );
}

/** The filenames of a Company's imports in its first Team, in order, each as often as it was imported. */
export async function importedNames({ database }: TestApp, { teamId }: SignedIn): Promise<string[]> {
  const rows = await database.query<{ filename: string }>(
    'select filename from memory.import where team_id = $1 order by filename collate "C"',
    [teamId],
  );
  return rows.map(({ filename }) => filename);
}

/** The imports that the caller sees, newest first. */
export async function listedImports(company: SignedIn): Promise<Import[]> {
  return (await company.api.listImports({ limit: 200 })).items;
}
