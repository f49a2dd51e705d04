import { skipToken, useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import {
  getDocument,
  type PDFDocumentProxy,
  type PDFPageProxy,
  PDFWorker,
  RenderingCancelledException,
  Util,
  version,
} from 'pdfjs-dist';
// Vite makes this export: the address of the file.
// oxlint-disable-next-line import/default
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { useEffect, useRef, useState } from 'react';
import type { Chunk } from '../../../../shared/schemas/sources.ts';
import { IconButton } from '../../ui/button.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { findMarks } from './pdf-marks.ts';

interface Policy {
  createScriptURL(input: string): string;
}
const { trustedTypes } = globalThis as unknown as {
  trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
};
/** The only policy of the console: it makes the address of this worker, whatever is asked for. */
const rules: Policy = { createScriptURL: () => new URL(workerAddress, import.meta.url).href };
const policy = trustedTypes?.createPolicy('console-worker', rules) ?? rules;

/** Where the files are that the viewer asks for by name. */
const FILES = new URL(/* @vite-ignore */ `pdf-${version.replaceAll('.', '-')}/`, import.meta.url).href;

/** Opens a PDF, and closes it with the component. */
function usePdf(bytes: Blob) {
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const port = new Worker(policy.createScriptURL(''), { type: 'module' });
    const worker = new PDFWorker({ port } as never);
    let isOpen = true;
    const opening = bytes.arrayBuffer().then((data) =>
      getDocument({
        data,
        worker,
        // The policy of the console allows neither.
        isEvalSupported: false,
        useWasm: false,
        wasmUrl: FILES,
        cMapUrl: FILES,
      } as never),
    );
    opening
      .then(({ promise }) => promise)
      .then(
        (opened) => isOpen && setPdf(opened),
        (problem: Error) => isOpen && setError(problem),
      );
    return () => {
      isOpen = false;
      void opening.then((task) => task.destroy()).finally(() => port.terminate());
    };
  }, [bytes]);
  return { pdf, error };
}

const NotShown = ({ error: { message } }: { error: Error }) => (
  <Failure error={new Error(`The file cannot be shown: ${message} Download it instead.`)} />
);

/** A page of a PDF, with the passage marked. */
export default function PdfPage({ bytes, passage }: { bytes: Blob; passage: Chunk | undefined }) {
  const { pdf, error } = usePdf(bytes);
  const ofPassage = passage?.location.page ?? 1;
  const [shown, setShown] = useState(ofPassage);
  useEffect(() => setShown(ofPassage), [ofPassage]);
  if (error !== undefined) return <NotShown error={error} />;
  if (pdf === undefined) return <Skeleton />;
  const number = Math.min(Math.max(shown, 1), pdf.numPages);
  const turn = (icon: LucideIcon, label: string, to: number) => (
    <IconButton
      icon={icon}
      label={label}
      disabled={to < 1 || to > pdf.numPages}
      onClick={() => setShown(to)}
    />
  );
  return (
    <>
      <div className="mb-2 flex items-center gap-1 text-sm text-soft">
        {turn(ChevronLeft, 'Page before', number - 1)}
        <span className="tabular-nums">
          Page {number} of {pdf.numPages}
        </span>
        {turn(ChevronRight, 'Next page', number + 1)}
      </div>
      <PageImage
        pdf={pdf}
        number={number}
        text={number === ofPassage || number === ofPassage + 1 ? (passage?.text ?? '') : ''}
      />
    </>
  );
}

/** Where a mark is, as CSS has it: shares of the page. */
type Mark = Record<'left' | 'top' | 'width' | 'height', string>;

const percent = (share: number) => `${share * 100}%`;

/** The places of a passage on a page. */
async function marksOf(page: PDFPageProxy, passage: string): Promise<Mark[]> {
  const viewport = page.getViewport({ scale: 1 });
  const lines = (await page.getTextContent()).items.filter((item) => 'str' in item);
  const texts = lines.map(({ str }) => str);
  return findMarks(texts, passage).map((index) => {
    const { transform, width } = lines[index]!;
    const [, , c = 0, d = 0, x = 0, y = 0] = Util.transform(viewport.transform, transform) as number[];
    const height = Math.hypot(c, d);
    return {
      left: percent(x / viewport.width),
      top: percent((y - height) / viewport.height),
      width: percent(width / viewport.width),
      height: percent((height * 1.2) / viewport.height),
    };
  });
}

const NONE: readonly Mark[] = [];

/** A page as a picture, with marks over the text. */
function PageImage({ pdf, number, text }: { pdf: PDFDocumentProxy; number: number; text: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [undrawn, setUndrawn] = useState<Error | null>(null);
  const mark = useRef<HTMLDivElement>(null);
  const { data: page, error: unread } = useQuery({
    queryKey: ['page', pdf.fingerprints, number],
    queryFn: () => pdf.getPage(number),
    retry: false,
    // It is gone with its file.
    gcTime: 0,
  });
  const error = unread ?? undrawn;
  // Without marks, the page can be read all the same.
  const { data: marks = NONE } = useQuery({
    queryKey: ['marks', pdf.fingerprints, number, text],
    queryFn: page && text !== '' ? () => marksOf(page, text) : skipToken,
    retry: false,
  });
  useEffect(() => {
    const target = canvas.current;
    if (page === undefined || target === null) return;
    setUndrawn(null);
    const width = (target.parentElement?.clientWidth ?? 600) * devicePixelRatio;
    const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
    target.width = viewport.width;
    target.height = viewport.height;
    const task = page.render({ canvas: target, viewport });
    // It is cancelled when another page is shown.
    task.promise.catch(
      (problem: Error) => problem instanceof RenderingCancelledException || setUndrawn(problem),
    );
    return () => task.cancel();
  }, [page]);
  useEffect(() => {
    // Newer browsers answer with a promise, which is not for React.
    mark.current?.scrollIntoView({ block: 'nearest' });
  }, [marks]);
  return (
    <div className="relative overflow-hidden rounded-md border border-line bg-white scheme-light">
      {error && <NotShown error={error} />}
      <canvas ref={canvas} role="img" aria-label={`Page ${number}`} className="block w-full" />
      {marks.map((place, index) => (
        <div
          key={index}
          ref={index === 0 ? mark : null}
          className="absolute bg-[Mark] opacity-40 mix-blend-multiply"
          style={place}
        />
      ))}
    </div>
  );
}
