import { compiler, type MarkdownToJSX, RuleType } from 'markdown-to-jsx/react';
import { type ComponentProps, createContext, Fragment, type ReactNode, use } from 'react';

/** The parts of a text that are marked, in order. */
export type Marker = (text: string) => readonly { start: number; end: number }[];

const SAFE = /^(https?:|mailto:)/i;
const Marking = createContext<Marker | undefined>(undefined);

/** A text, divided where its marks begin and end. */
function Text({ children: text }: { children: string }) {
  const marks = use(Marking)?.(text) ?? [];
  const after = (n: number) => text.slice(marks[n]?.end ?? 0, marks[n + 1]?.start);
  return (
    <>
      {after(-1)}
      {marks.map(({ start, end }, n) => (
        <Fragment key={start}>
          <mark>{text.slice(start, end)}</mark>
          {after(n)}
        </Fragment>
      ))}
    </>
  );
}

const Link = ({ href, children }: ComponentProps<'a'>) =>
  href !== undefined && SAFE.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer" className="text-brand underline">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** An element with no attribute but these: an id of the text could be one of the page. */
const plain =
  (Element: keyof HTMLElementTagNameMap, className?: string) =>
  ({ children }: { children?: ReactNode }) => <Element className={className}>{children}</Element>;

const FOOTNOTE = plain('div', 'my-2 text-sm text-soft');

/**
 * Headings begin below that of the page. Pictures of other hosts are not loaded: who reads a text stays unknown to its
 * author.
 */
const OVERRIDES: MarkdownToJSX.Overrides = {
  a: Link,
  blockquote: plain('blockquote', 'my-2 border-l-2 border-edge pl-4 text-soft'),
  code: ({ children }: { children: string }) => (
    <code className="font-mono text-sm">
      <Text>{children}</Text>
    </code>
  ),
  div: FOOTNOTE,
  hr: () => <hr className="my-4 border-line" />,
  h1: plain('h2', 'mt-6 mb-2 text-xl font-semibold'),
  h2: plain('h3', 'mt-5 mb-2 text-lg font-semibold'),
  h3: plain('h4', 'mt-4 mb-1 font-semibold'),
  h4: plain('h5', 'mt-3 mb-1 font-semibold'),
  h5: plain('h6', 'mt-3 mb-1 font-semibold'),
  h6: plain('h6', 'mt-3 mb-1 font-semibold'),
  img: ({ alt }: ComponentProps<'img'>) => <span className="text-faint">[{alt || 'picture'}]</span>,
  input: ({ checked }: ComponentProps<'input'>) => (
    <span role="img" aria-label={checked === true ? 'Done' : 'Open'}>
      {checked === true ? '☑' : '☐'}
    </span>
  ),
  mark: plain('em'),
  ol: ({ start, children }: ComponentProps<'ol'>) => (
    <ol className="my-2 list-decimal pl-6" start={start}>
      {children}
    </ol>
  ),
  p: plain('p', 'my-2'),
  pre: plain('pre', 'my-3 overflow-x-auto rounded-md border border-line bg-side p-3 text-sm'),
  table: ({ children }: ComponentProps<'table'>) => (
    <div className="my-3 overflow-x-auto">
      <table className="border-collapse text-sm wrap-normal">{children}</table>
    </div>
  ),
  td: plain('td', 'min-w-16 border border-line px-2 py-1 align-top'),
  th: plain('th', 'min-w-16 border border-line bg-side px-2 py-1 text-left font-medium'),
  ul: plain('ul', 'my-2 list-disc pl-6'),
};

const OPTIONS: MarkdownToJSX.Options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  overrides: OVERRIDES,
  preserveFrontmatter: true,
  wrapper: null,
  renderRule: (next, node, _, { key }) =>
    node.type === RuleType.text ? <Text key={key}>{node.text}</Text> : next(),
};

/** The elements of a text; what it says if it is nested too deeply. */
function elementsOf(text: string, written: ReactNode): ReactNode {
  try {
    return compiler(text, OPTIONS);
  } catch {
    return written;
  }
}

export interface Props {
  text: string;
  marker: Marker | undefined;
  /** What is shown if the text cannot be read as Markdown. */
  written: ReactNode;
}

export default function Rendered({ text, marker, written }: Props) {
  return (
    <Marking value={marker}>
      <div className="leading-6" dir="auto">
        {elementsOf(text, written)}
      </div>
    </Marking>
  );
}
