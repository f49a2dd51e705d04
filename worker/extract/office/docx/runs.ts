import type { Properties } from './properties.ts';
import type { ParagraphStyle, Styles } from './styles.ts';

/** How the text of a run looks, as far as it matters for what is read. */
export interface Run {
  isHidden: boolean;
  isStruck: boolean;
  isRaised: boolean;
  font: string | null;
}

export const PLAIN_RUN: Run = { isHidden: false, isStruck: false, isRaised: false, font: null };

/**
 * A run with these properties. If they do not say whether it is hidden, it is if either the style of the paragraph or that of the
 * characters says it: two of them cancel each other (ISO/IEC 29500-1, 17.7.3).
 * @param paragraph the style of the paragraph; null outside of paragraphs
 */
export function runOf(given: Properties, paragraph: ParagraphStyle | null, styles: Styles): Run {
  const own = given.style === undefined ? undefined : styles.characters(given.style);
  const isEither = (outer = false, inner = false) => outer !== inner;
  return {
    isHidden: given.isHidden ?? isEither(paragraph?.isHidden, own?.isHidden),
    isStruck: given.isStruck ?? isEither(paragraph?.isStruck, own?.isStruck),
    isRaised: given.isRaised ?? false,
    font: given.font ?? null,
  };
}
