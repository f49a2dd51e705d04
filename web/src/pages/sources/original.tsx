import { lazy, Suspense, useEffect, useState } from 'react';
import type { Chunk } from '../../../../shared/schemas/sources.ts';
import { useBytes } from '../../app/data.ts';
import { Loaded, Skeleton } from '../../ui/states.tsx';
import type { SourceText } from './labels.ts';

const PdfPage = lazy(() => import('./pdf-page.tsx'));

/** What the console can show of a source's file; other pictures than these can contain scripts. */
export function shownOf({ original }: Pick<SourceText, 'original'>): 'Page' | 'Picture' | null {
  const type = original?.mediaType ?? '';
  if (type === 'application/pdf') return 'Page';
  return /^image\/(png|jpeg|gif|webp)$/.test(type) ? 'Picture' : null;
}

/**
 * The file that a source was made of: a picture, or the page of a PDF that a passage is on.
 * @param props.passage the passage to mark
 */
export function Original({ source, passage }: { source: SourceText; passage: Chunk | undefined }) {
  const query = useBytes('getOriginal', [source.id]);
  return (
    <Loaded query={query}>
      {(bytes) =>
        shownOf(source) === 'Picture' ? (
          <Picture bytes={bytes} title={source.title} />
        ) : (
          <Suspense fallback={<Skeleton />}>
            <PdfPage bytes={bytes} passage={passage} />
          </Suspense>
        )
      }
    </Loaded>
  );
}

function Picture({ bytes, title }: { bytes: Blob; title: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(bytes);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return <img src={address} alt={title} className="max-w-full rounded-md border border-line" />;
}
