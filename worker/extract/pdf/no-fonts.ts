/*
 * The library gives fonts to a browser, to draw with them. Where it finds none, it computes the outline of each letter
 * instead, which takes a fifth of the time for a page. Nothing is drawn here, so it finds a document that takes fonts and
 * does nothing with them.
 */

class UnusedFontFace {
  readonly loaded = Promise.resolve(this);
}

/** For the option `ownerDocument` of the library. */
export const DOCUMENT_WITHOUT_FONTS = {
  fonts: { add: () => undefined, delete: () => undefined },
};

// The library calls the class by its global name.
Object.assign(globalThis, { FontFace: UnusedFontFace });
