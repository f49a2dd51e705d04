import type { Listed } from '../client/requests.ts';

/** The option of a list that can be counted. */
export const COUNT_OPTION = {
  count: { type: 'boolean', help: 'also print how many there are in all' },
} as const;

/** The options of a list that can be sorted. The query of the API has the same words. */
export const SORT_OPTIONS = {
  sort: {
    type: 'string',
    value: 'key',
    choices: ['createdAt', 'updatedAt', 'title', 'found'],
    help:
      'sort by createdAt (default), updatedAt, title or found: how often searches returned it. Titles ascend, the others ' +
      'descend',
  },
  order: { type: 'string', value: 'order', choices: ['asc', 'desc'], help: 'asc or desc' },
} as const;

/** The last lines of a list: that it may have more, and its total if it was asked for. */
export function endLines({ items, total, totalAtLeast }: Listed<unknown>, limit: number): string[] {
  const isCut = items.length === limit && total !== items.length;
  const more = isCut ? [`There may be more: --limit lists more than ${limit}.`] : [];
  if (total === undefined) return more;
  const many = (n: number) => n.toLocaleString('en');
  return [
    ...more,
    total === null ? `More than ${many(totalAtLeast ?? 0)} in all.` : `${many(total)} in all.`,
  ];
}
