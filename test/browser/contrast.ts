import type { Page } from 'playwright-core';

// A script for a page is a text: this program's own types know no document.

/**
 * What on the page has too little contrast to be read by WCAG 2.2, level AA: each text with its ratio and the one it
 * needs. Empty where all is well.
 */
export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const channels = (color) => {
      const found = /^rgba?\\(([\\d.]+), ([\\d.]+), ([\\d.]+)(?:, ([\\d.]+))?\\)$/.exec(color);
      if (found === null) throw new Error('a colour of another kind: ' + color);
      return found.slice(1).map((part) => (part === undefined ? 1 : Number(part)));
    };
    const luminance = (rgb) => {
      const [r, g, b] = rgb.map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const groundOf = (element) => {
      for (let node = element; node !== null; node = node.parentElement) {
        const [r, g, b, alpha] = channels(getComputedStyle(node).backgroundColor);
        if (alpha === 1) return [r, g, b];
        if (alpha > 0) throw new Error('a ground that shines through');
      }
      throw new Error('a text without a ground');
    };
    const faint = [];
    for (const element of document.body.querySelectorAll('*')) {
      const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
      if (text === '' || !element.checkVisibility() || element.closest('svg, .unseen, option, noscript') !== null) continue;
      const style = getComputedStyle(element);
      const lights = [channels(style.color).slice(0, 3), groundOf(element)].map(luminance).sort((a, b) => b - a);
      const ratio = (lights[0] + 0.05) / (lights[1] + 0.05);
      const size = parseFloat(style.fontSize);
      const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
      if (ratio < needed) faint.push(text.slice(0, 40) + ': ' + ratio.toFixed(2) + ' of ' + needed);
    }
    return faint;
  })()`);
}
