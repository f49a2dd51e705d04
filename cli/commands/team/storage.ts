import type { SelectedTeam } from '../../../shared/schemas/identity.ts';
import { counted, countedOf } from '../../terminal/output.ts';

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes in words, with decimal units: `1.2 GB`. */
export function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  // What would be rounded to 1000 has the next unit.
  for (; size >= 999.5 && unit < UNITS.length - 1; unit++) size /= 1000;
  if (bytes === 1) return '1 byte';
  const rounded = unit > 0 && size < 10 ? size.toFixed(1) : Math.round(size);
  return `${rounded} ${UNITS[unit]}`;
}

const share = (used: string, limit: string | null) => (limit === null ? used : `${used} of ${limit}`);

/** What a Team stores and can store; null without Full access. */
export function storageText({ usage, quota }: Pick<SelectedTeam, 'usage' | 'quota'>): string | null {
  if (usage === undefined || quota === undefined) return null;
  const bytes = share(sizeText(usage.bytes), quota.bytes === null ? null : sizeText(quota.bytes));
  const chunks =
    quota.chunks === null
      ? counted(usage.chunks, 'passage')
      : countedOf(usage.chunks, quota.chunks, 'passage');
  return `${bytes}, ${chunks}`;
}
