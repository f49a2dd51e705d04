import { useNavigate } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { sayFailure } from '../../ui/toast.tsx';
import { useSessionContext } from '../session.tsx';
import { droppedIn } from './dropped-files.ts';

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;

/** Files that are dropped anywhere are imported, and the page of imports shows them. */
export function DropZone() {
  const { session, team } = useSessionContext();
  const navigate = useNavigate();
  const [isOver, setOver] = useState(false);
  const canImport = team !== null && team.state === 'active' && team.access !== 'read';
  const why =
    team === null
      ? 'Choose a Team first.'
      : team.state === 'archived'
        ? 'The Team is archived.'
        : 'You can only read here.';
  const user = session.user.id;
  const teamId = team?.id;
  useEffect(() => {
    let inside = 0;
    function drag(event: DragEvent) {
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      if (event.type === 'dragenter') inside += 1;
      if (event.type === 'dragleave') inside -= 1;
      setOver(inside > 0 && canImport);
    }
    async function drop(event: DragEvent) {
      inside = 0;
      setOver(false);
      if (!hasFiles(event) || event.dataTransfer === null || event.defaultPrevented) return;
      event.preventDefault();
      if (!canImport || teamId === undefined) return sayFailure(new Error(`Files are not imported. ${why}`));
      const reading = droppedIn(event.dataTransfer);
      void navigate({ to: '/imports' });
      try {
        const { senderOf } = await import('../../pages/imports/sender.ts');
        senderOf(user, teamId).add(await reading);
      } catch {
        sayFailure(new Error('What was dropped cannot be read. Choose the files instead.'));
      }
    }
    const end = new AbortController();
    const { signal } = end;
    for (const kind of ['dragenter', 'dragover', 'dragleave'] as const)
      addEventListener(kind, drag, { signal });
    addEventListener('drop', (event) => void drop(event), { signal });
    return () => end.abort();
  }, [canImport, why, user, teamId, navigate]);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-3 z-50 flex items-center justify-center gap-3 rounded-xl border-2 border-dashed border-brand bg-tint text-lg font-semibold text-brand opacity-95">
      <Upload aria-hidden size={22} />
      Drop the files to import them
    </div>
  );
}
