import { useNavigate } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { sayFailure } from '../../ui/toast.tsx';
import { useSessionContext } from '../session.tsx';
import { droppedIn } from './dropped-files.ts';

const EVENTS = ['dragenter', 'dragover', 'dragleave', 'drop'] as const;

/** Files that are dropped anywhere are imported, and the page of imports shows them. */
export function DropZone() {
  const { session, team } = useSessionContext();
  const navigate = useNavigate();
  const [isOver, setOver] = useState(false);
  const canImport = team !== null && team.state === 'active' && team.access !== 'read';
  async function importFiles(data: DataTransfer) {
    if (session.isOver) return;
    if (!canImport) {
      const isArchived = team?.state === 'archived';
      const why = isArchived ? 'The Team is archived.' : 'You can only read here.';
      return sayFailure(new Error(`Files are not imported. ${team ? why : 'Choose a Team first.'}`));
    }
    const reading = droppedIn(data);
    void navigate({ to: '/imports' });
    try {
      const { senderOf } = await import('../../pages/imports/sender.ts');
      senderOf(session.user.id, team.id).add(await reading);
    } catch {
      sayFailure(new Error('What was dropped cannot be read. Choose the files instead.'));
    }
  }
  const handle = useEffectEvent((event: DragEvent) => {
    const { type, dataTransfer } = event;
    // Of a leave without a target, the pointer has left the window.
    if (type === 'drop' || (type === 'dragleave' && event.relatedTarget === null)) setOver(false);
    if (!dataTransfer?.types.includes('Files') || event.defaultPrevented) return;
    event.preventDefault();
    if (type === 'dragover') setOver(canImport);
    if (type === 'drop') void importFiles(dataTransfer);
  });
  useEffect(() => {
    const end = new AbortController();
    for (const type of EVENTS) addEventListener(type, (event) => handle(event), end);
    return () => end.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-3 z-50 flex items-center justify-center gap-3 rounded-xl border-2 border-dashed border-brand bg-tint text-lg font-semibold text-brand opacity-95">
      <Upload aria-hidden size={22} />
      Drop the files to import them
    </div>
  );
}
