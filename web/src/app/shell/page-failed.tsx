import type { ErrorComponentProps } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { Failure, GONE } from '../../ui/states.tsx';

/** The script of a page that a newer version of the service no longer has. */
const isGone = ({ message }: Error) => /dynamically imported module|Importing a module script/.test(message);

/** What is shown in place of a page that failed: after an update of the service, its script has another name. */
export function PageFailed({ error: thrown, reset }: ErrorComponentProps) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return isGone(error) ? (
    <Page title="This page could not be loaded">
      <Failure error={GONE} retry={() => location.reload()} />
    </Page>
  ) : (
    <Page title="This page failed">
      <Failure error={error} retry={reset} />
    </Page>
  );
}
