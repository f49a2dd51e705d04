import { useChange, useRead } from '../../app/data.ts';
import { Changes } from '../../ui/changes.tsx';
import { Loaded, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';
import { VersionList } from '../../ui/versions.tsx';
import { AFFECTED } from './batch.ts';
import type { SourceText } from './labels.ts';

/**
 * The texts that a source had before.
 * @param props.open the number of the one that is compared with the present text
 */
export function Versions({
  source: { id, updatedAt },
  open,
  canRestore,
}: {
  source: SourceText;
  open: string | undefined;
  canRestore: boolean;
}) {
  const query = useRead('listSourceVersions', [id, { limit: 50 }]);
  const change = useChange('restoreSourceVersion', AFFECTED);
  async function restore(version: number, text: string, canUndo = false) {
    try {
      await change.mutateAsync([id, String(version)]);
      // The text that was replaced is the newest version now.
      const newest = (await query.refetch()).data?.items[0]?.version;
      say(text, canUndo && newest ? () => void restore(newest, 'Taken back.') : undefined);
    } catch (error) {
      sayFailure(error as Error);
    }
  }
  return (
    <Loaded query={query}>
      {({ items }) => (
        <>
          <p className="flex h-9 items-center gap-2 border-b border-line text-sm">
            <span className="font-medium">Present text</span>
            <Time at={updatedAt} className="text-faint" />
          </p>
          <VersionList
            versions={items.map(({ version, at, actorId }) => ({
              version,
              updatedAt: at,
              updatedBy: actorId,
            }))}
            open={open}
            restore={
              canRestore
                ? (version) => void restore(version, `Version ${version} restored.`, true)
                : undefined
            }
          >
            {(version) => <Difference id={id} version={version} />}
          </VersionList>
          {items.length === 0 && <p className="py-2 text-sm text-faint">The text was never changed.</p>}
        </>
      )}
    </Loaded>
  );
}

/** What changed since a version. */
function Difference({ id, version }: { id: string; version: number }) {
  const before = useRead('getSource', [id, { text: true, version, limit: 1 }]);
  const now = useRead('getSource', [id, { text: true, limit: 1 }]);
  return (
    <Loaded query={before} skeleton={<Skeleton rows={2} />}>
      {({ text }) => (
        <div className="pt-1 pb-3">
          <p className="mb-1 text-xs text-faint">What changed since then</p>
          <Loaded query={now} skeleton={<Skeleton rows={2} />}>
            {(present) => <Changes before={text ?? ''} after={present.text ?? ''} isShort />}
          </Loaded>
        </div>
      )}
    </Loaded>
  );
}
