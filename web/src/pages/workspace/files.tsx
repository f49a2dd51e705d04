import { lazy, type ReactNode, Suspense } from 'react';
import { useFilters } from '../../app/filters.ts';
import { useRights } from '../../app/rights.ts';
import { Skeleton } from '../../ui/states.tsx';
import { FileList } from './file-list.tsx';
import { clientOf } from './shape.ts';

const FilePage = lazy(() => import('./file.tsx'));
const FileEditor = lazy(() => import('./editor.tsx'));

/** The page at /files: all files, the one that the address names, or its editor. */
export default function FilesPage(): ReactNode {
  const [{ path, as }] = useFilters('/files');
  const { canWrite } = useRights();
  if (path === undefined) return <FileList />;
  const Shown = as === 'edit' && canWrite(clientOf(path)) ? FileEditor : FilePage;
  return (
    <Suspense fallback={<Skeleton />}>
      <Shown key={path} path={path} />
    </Suspense>
  );
}
