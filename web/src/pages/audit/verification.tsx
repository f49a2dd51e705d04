import { useEffect } from 'react';
import { useChange } from '../../app/data.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import { count } from '../../ui/text.tsx';

/** Verifies that no event of the Company was changed, removed or inserted in the database. For Owners. */
export function Verification({ onClose }: { onClose: () => void }) {
  const { mutate, data, error } = useChange('verifyAudit', []);
  useEffect(() => mutate([]), [mutate]);
  return (
    <Dialog open onClose={onClose} title="Verify the audit">
      <div className="flex flex-col gap-4">
        {error && <Failure error={error} retry={() => mutate([])} />}
        {!data && !error && (
          <p role="status">
            The chain of hashes is computed again. With many events this takes some minutes.
          </p>
        )}
        {data?.firstBreak === null && (
          <p role="status">
            <strong className="text-good">The chain is intact.</strong> {count(data.events, 'event')}{' '}
            verified.
            {data.unsealed > 0 &&
              ` ${data.unsealed.toLocaleString('en')} not sealed yet: that takes a minute.`}
          </p>
        )}
        {data && data.firstBreak !== null && (
          <p role="alert" className="text-bad">
            <strong>The chain is broken at event {data.firstBreak}.</strong> It was changed, removed or
            inserted in the database. Keep a copy of the database as it is now, and have it compared with a
            backup.
          </p>
        )}
        {data?.head && (
          <>
            <p className="flex items-start gap-1">
              Last seal:
              <code className="font-mono text-xs break-all">{`${data.head.sequence}:${data.head.hash}`}</code>
              <CopyButton text={`${data.head.sequence}:${data.head.hash}`} label="Copy the seal" />
            </p>
            <p className="text-sm text-faint">
              Note the seal outside of the service: if a later verification has a smaller number, or another
              hash for this one, events were removed from the end.
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}
