import { RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Item } from '../app/data.ts';
import { usePerson } from '../app/person.ts';
import { IconButton } from './button.tsx';
import { HereLink } from './here-link.tsx';
import { Name, Tag, Time } from './text.tsx';

/**
 * The versions of a text, newest first. The address has the `version` that is open.
 * @param props.current the number of the one that is the present text, if it is in the list
 * @param props.restore absent: none can be restored
 * @param props.children what is shown below the one that is open
 */
export function VersionList({
  versions,
  current,
  open,
  restore,
  children,
}: {
  versions: readonly Item<'listFileVersions' | 'listSourceVersions' | 'listMemoryVersions'>[];
  current?: number;
  open: string | undefined;
  restore: ((version: number) => void) | undefined;
  children?: (version: number) => ReactNode;
}) {
  const person = usePerson();
  return (
    <ol>
      {versions.map((one) => {
        const { version } = one;
        const deleted = 'deleted' in one && one.deleted;
        const by = 'actorId' in one ? one.actorId : one.updatedBy;
        const at = 'at' in one ? one.at : 'updatedAt' in one ? one.updatedAt : one.createdAt;
        const isOpen = open === String(version);
        return (
          <li key={version} className="border-b border-line text-sm">
            <div className={`flex min-h-9 items-center gap-1 ${isOpen ? 'bg-hover' : ''}`}>
              <HereLink
                to={{ version: isOpen ? undefined : String(version) }}
                aria-current={isOpen}
                className="font-medium hover:underline"
              >
                Version {version}
              </HereLink>
              {version === current && !deleted && <Tag tone="good">current</Tag>}
              {deleted && <Tag>deleted</Tag>}
              <span className="min-w-0 grow truncate text-faint">
                <Time at={at} /> by <Name>{person(by)}</Name>
              </span>
              {restore && version !== current && !deleted && (
                <IconButton
                  icon={RotateCcw}
                  label={`Restore version ${version}`}
                  onClick={() => restore(version)}
                />
              )}
            </div>
            {isOpen && children?.(version)}
          </li>
        );
      })}
    </ol>
  );
}
