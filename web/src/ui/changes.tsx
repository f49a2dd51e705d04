import { Plus } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import { compare } from './compare.ts';

/** Colour is not the only difference, and screen readers, which do not announce what was changed, hear a word for it. */
const LOOKS = {
  insert: { Element: 'ins', word: 'inserted: ', className: 'bg-tint text-good underline' },
  delete: { Element: 'del', word: 'deleted: ', className: 'bg-bad-tint text-bad line-through' },
} as const;

/** What stayed the same, without its middle if it is long. */
const shortened = (text: string) =>
  text.length < 900 ? text : `${text.slice(0, 300)}\n…\n${text.slice(-300)}`;

/**
 * A text with what was changed in it.
 * @param isShort leaves out what is far from any change
 * @param keep offers to keep a sentence that the later text no longer has
 */
export function Changes({
  before,
  after,
  isShort = false,
  keep,
}: {
  before: string;
  after: string;
  isShort?: boolean;
  keep?: ((sentence: string) => void) | undefined;
}) {
  // A long text takes a while to compare, and typing must not wait for it.
  const later = useDeferredValue(after);
  const parts = useMemo(() => compare(before, later), [before, later]);
  if (parts.every(({ op }) => op === 'equal')) return <p className="text-faint">The text is the same.</p>;
  return (
    <div className="leading-6 whitespace-pre-wrap" dir="auto">
      {parts.map(({ op, text, isWhole }, n) => {
        if (op === 'equal') return isShort ? shortened(text) : text;
        const { Element, word, className } = LOOKS[op];
        return (
          <span key={n}>
            <Element className={`rounded-xs ${className}`}>
              <span className="sr-only">{word}</span>
              {text}
            </Element>
            {keep && op === 'delete' && isWhole && (
              <button
                type="button"
                className="mx-1 inline-flex items-center gap-0.5 rounded border border-edge px-1 text-xs hover:bg-hover"
                onClick={() => keep(text.trim())}
              >
                <Plus aria-hidden size={12} />
                Keep<span className="sr-only"> this sentence</span>
              </button>
            )}
          </span>
        );
      })}
    </div>
  );
}
