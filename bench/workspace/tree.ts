import type { Database } from '../../db/driver/database.ts';
import { foldPath } from '../../shared/formats/workspace-path.ts';
import { newId } from '../../shared/ids.ts';
import { Writer } from '../../test/support/generated-text.ts';
import type { TestCompany } from '../../test/support/needs/database.ts';

/** Files that one push brings, and what one statement writes here. */
const A_PUSH = 200;
const SLICE = 10_000;
const FIRST_REVISION = 1_000_000;

/** Paths as people and their tools make them: few folders with many files, many with few. */
function* paths(writer: Writer): Generator<string> {
  const word = () => writer.words(0, 1)[0] ?? 'note';
  for (let project = 0; ; project += 1) {
    const name = `${writer.words(0, 2).join(' ')} ${project}`;
    for (let folder = 0; folder < 12; folder += 1) {
      const month = `2026-${String(folder + 1).padStart(2, '0')}`;
      for (let n = 0; n < 40; n += 1) yield `Projects/${name}/${month} ${word()}/${word()}-${n}.md`;
    }
  }
}

/**
 * Fills a Team with a tree as pushes of 200 files leave it, in turns in its own layer and in those of its clients. Written
 * as rows: by pushes it would take minutes. Each file has a small content of its own.
 */
export async function fillTree(
  database: Database,
  { companyId, teamId, ownerId }: TestCompany,
  clientIds: readonly string[],
  count: number,
): Promise<void> {
  const source = paths(new Writer(count));
  for (let from = 0; from < count; from += SLICE) {
    const size = Math.min(SLICE, count - from);
    const names = Array.from({ length: size }, () => String(source.next().value));
    const content = `convert_to($2::text || n, 'UTF8')`;
    await database.query(
      `insert into memory.workspace_blob (company_id, sha256, bytes, content)
       select $1, sha256(${content}), length(${content}), ${content}
         from generate_series($3::int + 1, $3::int + $4::int) n`,
      [companyId, `A file of ${teamId}: `, from, size],
    );
    await database.query(
      `insert into memory.workspace_version
         (team_id, company_id, updated_by, revision, id, layer_id, file_id, path, folded, version, sha256, bytes)
       select $5, $1, $6, $7 + n / ${A_PUSH}, f.id, coalesce(($8::uuid[])[n / ${A_PUSH} % (cardinality($8::uuid[]) + 1)], $5), f.file_id, f.path,
              f.folded, 1, sha256(${content}), length(${content})
         from unnest($9::uuid[], $10::uuid[], $11::text[], $12::text[])
                with ordinality as f (id, file_id, path, folded, place),
              lateral (select $3::int + f.place::int as n) as p where $4::int > 0`,
      [
        companyId,
        `A file of ${teamId}: `,
        from,
        size,
        teamId,
        ownerId,
        FIRST_REVISION,
        clientIds,
        names.map(newId),
        names.map(newId),
        names,
        names.map(foldPath),
      ],
    );
  }
  await database.query('insert into memory.workspace_team (team_id, revision) values ($1, $2)', [
    teamId,
    FIRST_REVISION + count,
  ]);
}
