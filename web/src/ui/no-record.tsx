import { FileQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { Refusal } from '../app/request.ts';
import { Page } from './page.tsx';
import { Empty, Skeleton, Unread } from './states.tsx';

/**
 * The page of a record that is not read yet, that cannot be read, or that does not exist.
 * @param props.name what it is, such as "source"
 * @param props.children where to look instead
 */
export function NoRecord({
  name,
  error,
  retry,
  isMissing: isKnownMissing = false,
  children,
}: {
  name: string;
  error: Error | null;
  retry: () => void;
  /** What was read says that there is none. */
  isMissing?: boolean;
  children: ReactNode;
}) {
  // 400: what the address has can be no id.
  const isMissing =
    isKnownMissing || (error instanceof Refusal && (error.status === 404 || error.status === 400));
  return (
    <Page title={isMissing ? 'Not found' : name}>
      {isMissing ? (
        <Empty icon={FileQuestion} title={`There is no such ${name}, or you do not have access to it`}>
          {children}
        </Empty>
      ) : (
        <Unread query={{ error, refetch: retry }}>
          <Skeleton />
        </Unread>
      )}
    </Page>
  );
}
