import htm from 'htm';
import { h } from 'preact';

// The service replaces the names of packages with paths when it serves a script.
export { render } from 'preact';
// Effects run at once: those of useEffect would wait for a frame, and a hidden page draws none.
export { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/**
 * @typedef {import('preact').ComponentChildren} Children
 * @typedef {import('preact').VNode<object>} Node
 */

/** @type {(strings: TemplateStringsArray, ...values: unknown[]) => any} */
const template = htm.bind(h);

/**
 * Renders a template. Text in it is never parsed as HTML.
 * @param {TemplateStringsArray} strings
 * @param {unknown[]} values
 * @returns {Node} the node; an array of nodes if the template has several at its top
 */
export const html = (strings, ...values) => template(strings, ...values);
