import type { SourceBatch } from '../../../../shared/schemas/sources.ts';
import { useChange } from '../../app/data.ts';
import { count } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';

export type Change = SourceBatch['change'];

/** The operations whose answers are different after a source changed. */
export const AFFECTED = [
  'listSources',
  'listTags',
  'getStatus',
  'getSource',
  'listSourceVersions',
  'searchMemory',
] as const;

/** How a refusal names a source that has the same text already. Its id says nothing to people. */
export const OTHER_SOURCE = /The active source ([\da-f-]{36})/;

/** The most sources that one request changes. */
const AT_ONCE = 100;

/** Changes sources, says how many changed and how many not, and offers to take back what was done. */
export function useSourceBatch() {
  const change = useChange('changeSources', AFFECTED);
  async function send(batches: readonly SourceBatch[], done: string, canUndo: boolean): Promise<void> {
    const answers: Awaited<ReturnType<typeof change.mutateAsync>>[] = [];
    const reasons = new Set<string>();
    try {
      for (const batch of batches) answers.push(await change.mutateAsync([batch]));
    } catch (error) {
      reasons.add((error as Error).message);
    }
    const results = answers.flatMap((answer) => answer.results);
    const undo = answers.toReversed().flatMap((answer) => answer.undo);
    const problems = results.flatMap(({ problem }) => problem ?? []);
    for (const { detail, title } of problems)
      reasons.add((detail ?? title).replace(OTHER_SOURCE, 'Another source there'));
    const sent = batches.flatMap(({ ids }) => ids);
    const name = (n: number) => (new Set(sent).size === 1 ? 'Source' : count(n, 'source'));
    const changed = results.filter((result) => result.changed).length;
    if (changed > 0 || reasons.size === 0)
      say(
        `${name(changed)}${done}.`,
        canUndo && undo.length > 0 ? () => void send(undo, ': taken back', false) : undefined,
      );
    const left = problems.length + sent.length - results.length;
    if (reasons.size > 0)
      sayFailure(new Error(`${name(left)} not changed. ${[...reasons].slice(0, 3).join(' ')}`));
  }
  /** @param done what is then said of the sources: "archived" */
  return (ids: readonly string[], what: Change, done: string): Promise<void> => {
    const batches = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, n) => ({
      ids: ids.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
      change: what,
    }));
    return send(batches, ` ${done}`, true);
  };
}
