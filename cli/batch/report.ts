import { Type } from 'typebox';
import { type ServiceClient, ServiceRefusal } from '../client/service-client.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { counted, countedOf, credentialsNote, type Result } from '../terminal/output.ts';
import type { BatchAnswer, BatchResult } from './send.ts';

/** So many problems are listed. */
const MAX_LISTED = 20;

const Titled = Type.Object({ title: Type.String() });

/** The words of a change of many sources. */
export interface Words {
  /** The beginning of a sentence about what was done: `Tagged`. */
  done: string;
  /** Its end, such as ` with site`. */
  how: string;
  /** What was not done: `tagged`. */
  verb: string;
}

async function readTitle(service: ServiceClient, id: string): Promise<string | null> {
  const path = `/v1/memory/sources/${encodeURIComponent(id)}?limit=1`;
  return service.get(path, Titled).then(
    ({ title }) => title,
    (error: unknown) => {
      if (error instanceof ServiceRefusal) return null;
      throw error;
    },
  );
}

/** The lines of sources that were not changed, with their titles and the reasons. */
async function problemLines(
  service: ServiceClient,
  problems: readonly BatchResult[],
  titles: ReadonlyMap<string, string>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { id, problem } of problems.slice(0, MAX_LISTED)) {
    const title = titles.get(id) ?? (await readTitle(service, id));
    const name = title === null ? oneLine(id) : `${oneLine(title)} (${id})`;
    lines.push(`  ${name}: ${oneLine(`${problem?.code}: ${problem?.detail}`)}`);
  }
  const more = problems.length - lines.length;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

/**
 * The result of a change of many sources. It counts as failed if a source could not be changed.
 * @param titles of sources, as far as they are known
 * @param hint how to take it back; null if nothing can be
 */
export async function batchResult(
  service: ServiceClient,
  answer: BatchAnswer,
  { done, how, verb }: Words,
  { titles, hint }: { titles: ReadonlyMap<string, string>; hint: string | null },
): Promise<Result> {
  const { results } = answer;
  const problems = results.filter(({ problem }) => problem !== undefined);
  const changed = results.filter((result) => result.changed === true).length;
  const same = results.length - problems.length - changed;
  const lines = [
    `${done} ${counted(changed, 'source')}${how}.`,
    ...(same === 0 ? [] : [`${counted(same, 'source was', 'sources were')} already so.`]),
    ...(problems.length === 0 ? [] : [`Not ${verb}:`, ...(await problemLines(service, problems, titles))]),
  ];
  const failure = new CommandError(
    `${countedOf(problems.length, results.length, 'source was', 'sources were')} not ${verb}`,
  );
  return {
    text: [
      lines.join('\n') + credentialsNote(answer.redactions),
      ...(hint === null ? [] : [`${hint.charAt(0).toUpperCase()}${hint.slice(1)}`]),
    ].join('\n'),
    data: answer,
    ...(problems.length === 0 ? {} : { failure }),
  };
}
