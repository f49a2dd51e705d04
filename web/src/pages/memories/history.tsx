import type { Memory } from '../../../../shared/schemas/memories.ts';
import { useList } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { Button } from '../../ui/button.tsx';
import { Changes } from '../../ui/changes.tsx';
import { Section } from '../../ui/section.tsx';
import { Failure } from '../../ui/states.tsx';
import { VersionList } from '../../ui/versions.tsx';

/** The texts that a memory has had, newest first. The one that is open shows what it changed. */
export function Versions({
  memory: { id, state },
  restore,
}: {
  memory: Memory;
  /** Absent: no version can be restored. */
  restore: ((version: number) => void) | undefined;
}) {
  const [{ version: open }] = useFilters('/memories/$id');
  const { items, query } = useList('listMemoryVersions', {}, 20, [id]);
  const shown = items.findIndex(({ version }) => String(version) === open);
  const [one, earlier] = [items[shown], items[shown + 1]];
  const before = one?.changes
    .filter(({ op }) => op !== 'insert')
    .map(({ text }) => text)
    .join('');
  // The only text that it has had is on the page already.
  if (items.length < 2 && query.error === null) return null;
  return (
    <Section title="Versions">
      <VersionList
        versions={items.map(({ version, createdAt, actorId }) => ({
          version,
          updatedAt: createdAt,
          updatedBy: actorId,
        }))}
        {...(state === 'published' && items[0] && { current: items[0].version })}
        open={open}
        restore={restore}
      >
        {() => (
          <div className="px-2 pt-1 pb-3">
            {one && earlier && earlier.title !== one.title && (
              <Changes before={earlier.title} after={one.title} />
            )}
            {one && <Changes before={before || one.content} after={one.content} />}
          </div>
        )}
      </VersionList>
      {query.error !== null && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} className="mt-2" onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Section>
  );
}
