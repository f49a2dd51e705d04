import type { UseQueryResult } from '@tanstack/react-query';
import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { List } from '../app/data.ts';
import { Button } from './button.tsx';

/** Lines in the place of rows that are loading. */
export const Skeleton = ({ rows = 8 }: { rows?: number }) => (
  <div role="status" aria-label="Loading" className="animate-pulse">
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} className="flex h-10 items-center gap-6 border-b border-line">
        <div className={`h-3 rounded bg-hover ${row % 3 === 0 ? 'w-2/5' : 'w-1/3'}`} />
        <div className="h-3 w-16 rounded bg-hover" />
      </div>
    ))}
  </div>
);

/** A script that could not be loaded. After an update of the service, it has another name. */
export const GONE = new Error('The service was updated, or it cannot be reached. Load the page again.');

/** Why something could not be shown, and what to do. */
export const Failure = ({ error, retry }: { error: Error; retry?: () => void }) => (
  <div role="alert" className="flex items-start gap-2 rounded-md bg-bad-tint p-3 text-bad">
    <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
    <p className="grow">{error.message}</p>
    {retry && <Button onClick={retry}>Try again</Button>}
  </div>
);

type EmptyProps = { icon: LucideIcon; title: string; children?: ReactNode };

/** A page without records: what makes the first one, and how. */
export const Empty = ({ icon: Icon, title, children }: EmptyProps) => (
  <div className="flex flex-col items-center gap-3 px-4 py-16 text-center">
    <Icon aria-hidden size={28} className="text-faint" />
    <p className="text-lg font-medium">{title}</p>
    {children && <div className="flex max-w-md flex-col items-center gap-3 text-soft">{children}</div>}
  </div>
);

interface UnreadProps {
  query: { error: Error | null; refetch: () => unknown };
  children: ReactNode;
}

/** What is shown without data; if these could not be read, why, and a button that reads them again. */
export const Unread = ({ query: { error, refetch }, children }: UnreadProps) =>
  error === null ? children : <Failure error={error} retry={() => void refetch()} />;

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  skeleton?: ReactNode;
  children: (data: T) => ReactNode;
}

/** What was read, once it is there; until then a skeleton, or why it could not be read. */
export const Loaded = <T,>({ query, skeleton = <Skeleton />, children }: LoadedProps<T>) =>
  query.data === undefined ? <Unread query={query}>{skeleton}</Unread> : children(query.data);

interface ListProps {
  list: Pick<List<unknown>, 'isRead' | 'query'>;
  children: ReactNode;
}

/** What needs a whole list, once that is read to its end; until then a skeleton, or why it could not be read. */
export const LoadedList = ({ list, children }: ListProps) =>
  list.isRead ? children : <Unread query={list.query} children={<Skeleton rows={2} />} />;
