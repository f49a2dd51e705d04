import { Console } from './console.js';
import { html, render } from './html.js';

addEventListener('pageshow', ({ persisted }) => {
  // The browser restored the page from its cache, so what it shows can be old.
  if (persisted) location.reload();
});

const root = document.getElementById('console');
if (root !== null) render(html`<${Console} />`, root);
