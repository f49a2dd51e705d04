import { Suspense } from 'react';
import { lazyOr } from './lazy.ts';
import type { Marker, Props } from './markdown-rendered.tsx';

/** A text stays as it is written if what reads it cannot be loaded. */
const Rendered = lazyOr<Props>(
  () => import('./markdown-rendered.tsx'),
  ({ written }) => written,
);

/** What is longer stays as it is written: a hostile text of this length holds up the page for some seconds already. */
const MOST = 100_000;
/** What can mean something in Markdown. Most texts have none of it, so that what reads it is not loaded for them. */
const MARKUP = /[*_`~[\]\\|&@]|:\/\/|www\.|^\s*([#>+=-]|\d+[.)])|^(\t| {4})| {2}$/m;

/** A text as Markdown reads. HTML in it stays text, and only http, https and mailto links lead anywhere. */
export function Markdown({ text, marker }: { text: string; marker?: Marker }) {
  const written = (
    <div className="my-2 leading-6 whitespace-pre-wrap" dir="auto">
      {text}
    </div>
  );
  if (text.length > MOST || (marker === undefined && !MARKUP.test(text))) return written;
  return (
    <Suspense fallback={written}>
      <Rendered text={text} marker={marker} written={written} />
    </Suspense>
  );
}
